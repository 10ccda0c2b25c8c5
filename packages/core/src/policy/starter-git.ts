import type { StarterRow } from './starter-row.ts'

/** What only reads the repository: git also runs what its configuration says, so these hold in trusted projects only. */
export const STARTER_GIT: readonly StarterRow[] = [
  ['Bash(git status *)', ['git status', 'git status -sb'], ['git -c a=b status', 'git -C /x status', 'git status; x']],
  [
    'Bash(git log *)',
    ['git log --oneline -5', 'git log -p -- src'],
    ['git log --output=x', 'git log --ext-diff', 'git log --outp=x'],
  ],
  [
    'Bash(git diff *)',
    ['git diff HEAD~1', 'git diff --stat main..x'],
    ['git diff --no-index a /etc/x', 'git diff -U /etc/x a', 'git diff --textconv', 'git diff -Ox'],
  ],
  ['Bash(git show *)', ['git show HEAD', 'git show HEAD:src/a'], ['git show --output=x', 'git show $x']],
  [
    'Bash(git branch *)',
    ['git branch', 'git branch -a', 'git branch --merged main'],
    ['git branch x', 'git branch -D x', 'git branch -m x'],
  ],
  ['Bash(git remote *)', ['git remote -v'], ['git remote add a b', 'git remote show origin']],
  ['Bash(git rev-parse *)', ['git rev-parse --abbrev-ref HEAD'], ['git rev-parse --git-path /etc']],
  ['Bash(git ls-files *)', ['git ls-files src'], ['git ls-files --with-tree=x']],
  ['Bash(git blame *)', ['git blame -L 1,5 a'], ['git blame --contents /etc/x a']],
  ['Bash(git describe *)', ['git describe --tags'], ['git describe > x']],
  ['Bash(git tag *)', ['git tag', "git tag -l 'v*'"], ['git tag x', 'git tag -d x', 'git tag -l -d x']],
  ['Bash(git shortlog *)', ['git shortlog -sn HEAD'], ['git shortlog --output=x']],
  ['Bash(git reflog *)', ['git reflog', 'git reflog show HEAD'], ['git reflog expire --all', 'git reflog delete x']],
  [
    'Bash(git cat-file *)',
    ['git cat-file -p HEAD', 'git cat-file --batch-check --batch-all-objects'],
    ['git cat-file --textconv x', 'git cat-file --batch'],
  ],
  ['Bash(git stash list *)', ['git stash list'], ['git stash', 'git stash pop', 'git stash list > x']],
  [
    'Bash(git --no-pager log *)',
    ['git --no-pager log -5', 'git --no-pager log --oneline'],
    ['git --no-pager log --output=x', 'git --no-pager -c a=b log', 'git --paginate log'],
  ],
  [
    'Bash(git --no-pager diff *)',
    ['git --no-pager diff', 'git --no-pager diff --color=never'],
    ['git --no-pager diff --ext-diff', 'git --no-pager -C x diff', 'git --no-pager diff --no-index a b'],
  ],
  [
    'Bash(git --no-pager show *)',
    ['git --no-pager show HEAD', 'git --no-pager show -s HEAD'],
    ['git --no-pager show --textconv', 'git --no-pager show --output=x', 'git --no-pager --git-dir=x show'],
  ],
  [
    'Bash(git stash show *)',
    ['git stash show', 'git stash show -p'],
    ['git stash drop', 'git stash show --output=x', 'git stash push', 'git stash -- show'],
  ],
  [
    'Bash(git whatchanged *)',
    ['git whatchanged -3', 'git whatchanged --stat'],
    ['git whatchanged --output=x', 'git whatchanged --ext-diff', 'git -c a=b whatchanged'],
  ],
  [
    'Bash(git diff-tree *)',
    ['git diff-tree --name-only -r HEAD', 'git diff-tree HEAD'],
    ['git diff-tree --output=x HEAD', 'git diff-tree --ext-diff HEAD', 'git diff-tree -O x HEAD'],
  ],
  [
    'Bash(git diff-index *)',
    ['git diff-index --quiet HEAD --', 'git diff-index --cached HEAD'],
    ['git diff-index --output=x HEAD', 'git diff-index --textconv HEAD', 'git diff-index HEAD > x'],
  ],
  [
    'Bash(git diff-files *)',
    ['git diff-files', 'git diff-files --name-only'],
    ['git diff-files --output=x', 'git diff-files --ext-diff', 'git diff-files > x'],
  ],
  [
    'Bash(git rev-list *)',
    ['git rev-list --count HEAD', 'git rev-list main..x --no-merges'],
    ['git rev-list --output=x HEAD', 'git rev-list --bisect-all $x', 'git -C x rev-list HEAD'],
  ],
  [
    'Bash(git range-diff *)',
    ['git range-diff a~5..a b~5..b', 'git range-diff --no-color a...b'],
    ['git range-diff --output=x a...b', 'git range-diff --ext-diff a...b', 'git range-diff --textconv a...b'],
  ],
  [
    'Bash(git cherry *)',
    ['git cherry -v main', 'git cherry'],
    ['git cherry-pick a', 'git cherry --output=x', 'git cherry > x'],
  ],
  [
    'Bash(git grep *)',
    ['git grep -n foo', "git grep -l foo -- '*.ts'", 'git grep -c foo HEAD -- src'],
    [
      'git grep -O foo',
      'git grep -nOvim foo',
      'git grep --open-files-in-pager=x foo',
      'git grep --open foo',
      'git grep -f a',
      'git grep --no-index foo /etc',
    ],
  ],
  [
    'Bash(git annotate *)',
    ['git annotate a', 'git annotate -L 1,5 a'],
    ['git annotate --contents /etc/x a', 'git annotate -S /etc/x a', 'git annotate --output=x a'],
  ],
  [
    'Bash(git ls-tree *)',
    ['git ls-tree HEAD src', 'git ls-tree -r HEAD --name-only'],
    ['git -C x ls-tree HEAD', 'git ls-tree HEAD > x', 'git ls-tree --output=x HEAD'],
  ],
  [
    'Bash(git show-ref *)',
    ['git show-ref --heads', 'git show-ref -q refs/heads/a'],
    ['git show-ref --exclude-existing', 'git show-ref > x', 'git update-ref a b'],
  ],
  [
    'Bash(git show-branch *)',
    ['git show-branch --list', 'git show-branch -a'],
    ['git show-branch > x', 'git show-branch --output=x', 'git -c a=b show-branch'],
  ],
  [
    'Bash(git for-each-ref *)',
    ["git for-each-ref --format='%(refname)' refs/heads", 'git for-each-ref --sort=-committerdate'],
    ['git for-each-ref --stdin', 'git for-each-ref > x', 'git for-each-repo --config=a b'],
  ],
  [
    'Bash(git merge-base *)',
    ['git merge-base main HEAD', 'git merge-base --is-ancestor a HEAD'],
    ['git merge a', 'git merge-base a $x', 'git merge-base a b > x'],
  ],
  [
    'Bash(git name-rev *)',
    ['git name-rev HEAD', 'git name-rev --tags HEAD'],
    ['git name-rev > x', 'git name-rev --exec=x HEAD', 'git -C x name-rev HEAD'],
  ],
  [
    'Bash(git check-ignore *)',
    ['git check-ignore -v dist/a', 'git check-ignore a b'],
    ['git check-ignore --stdin', 'git check-ignore /etc/x', 'git check-ignore a > x'],
  ],
  [
    'Bash(git check-attr *)',
    ['git check-attr -a a', 'git check-attr text -- a'],
    ['git check-attr --stdin -a', 'git check-attr -a /etc/x', 'git check-attr --source=x -a a'],
  ],
  [
    'Bash(git count-objects *)',
    ['git count-objects', 'git count-objects -vH'],
    ['git count-objects x', 'git count-objects > x', 'git gc'],
  ],
  ['Bash(git fsck *)', ['git fsck', 'git fsck --full'], ['git fsck --lost-found', 'git fsck --lost', 'git fsck > x']],
  [
    'Bash(git hash-object *)',
    ['git hash-object a', 'git hash-object -t blob a'],
    ['git hash-object -w a', 'git hash-object -wt blob a', 'git hash-object --stdin-paths', 'git hash-object /etc/x'],
  ],
  [
    'Bash(git symbolic-ref *)',
    ['git symbolic-ref HEAD', 'git symbolic-ref --short HEAD'],
    [
      'git symbolic-ref HEAD refs/heads/x',
      'git symbolic-ref H*',
      'git symbolic-ref -d HEAD',
      'git symbolic-ref --delete HEAD',
      'git symbolic-ref -m a HEAD b',
    ],
  ],
  [
    'Bash(git config --get *)',
    ['git config --get user.email', 'git config --get branch.main.remote'],
    [
      'git config --get http.extraheader',
      'git config --get alias.x',
      'git config --get user.name x --add',
      'git config --get-all a.b',
      'git config --get core.pager',
    ],
  ],
  [
    'Bash(git config user.name)',
    ['git config user.name'],
    ['git config user.name x', 'git config --unset user.name', 'git config --list'],
  ],
  [
    'Bash(git config user.email)',
    ['git config user.email'],
    ['git config user.email x', 'git config --global user.email x', 'git config -e'],
  ],
  [
    'Bash(git apply --check *)',
    ['git apply --check a.patch', 'git apply --check -v a.patch'],
    [
      'git apply a.patch',
      'git apply --check --apply a.patch',
      'git apply --check --index a.patch',
      'git apply --check /x/a.patch',
    ],
  ],
  [
    'Bash(git apply --stat *)',
    ['git apply --stat a.patch', 'git apply --stat --summary a.patch'],
    [
      'git apply -v a.patch',
      'git apply --stat --apply a.patch',
      'git apply --stat --3way a.patch',
      'git apply --sta a.patch',
    ],
  ],
  [
    'Bash(git format-patch *)',
    ['git format-patch -1 --stdout', 'git format-patch --stdout main..x'],
    [
      'git format-patch -1',
      'git format-patch -1 -o x',
      'git format-patch --stdout --output=x',
      'git format-patch --stdou -1',
    ],
  ],
  [
    'Bash(git worktree list *)',
    ['git worktree list', 'git worktree list --porcelain'],
    ['git worktree add x', 'git worktree remove x', 'git worktree prune', 'git worktree list x'],
  ],
  [
    'Bash(git notes list *)',
    ['git notes list', 'git notes list HEAD'],
    ['git notes add -m a', 'git notes remove a', 'git notes prune', 'git notes --ref=x list'],
  ],
  [
    'Bash(git bisect log)',
    ['git bisect log'],
    ['git bisect start', 'git bisect run x', 'git bisect log > x', 'git bisect reset'],
  ],
  [
    'Bash(git sparse-checkout list)',
    ['git sparse-checkout list'],
    ['git sparse-checkout set a', 'git sparse-checkout disable', 'git sparse-checkout list > x'],
  ],
]
