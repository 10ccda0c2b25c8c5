#!/bin/sh
# Deploys a version after a person has said yes in Holdpoint.
set -eu
version=${1:?usage: deploy.sh VERSION}

# "set -e" would end the script at every answer but the first option.
code=0
${HOLDPOINT:-npx holdpoint} ask "Deploy $version to production?" --option yes --option no \
  --timeout 2h --key "deploy $version" --from deploy.sh >/dev/null || code=$?

case $code in
  0) echo "Deploying $version" ;; # your own commands come here
  1 | 2) echo "Not deployed: a person said no, or skipped the question." >&2 && exit 1 ;;
  3) echo "Not deployed: nobody answered in time. Run it with another key to ask again." >&2 && exit 1 ;;
  4) echo "Not deployed: the gateway cannot be reached. Run it again to go on waiting." >&2 && exit 1 ;;
  *) echo "Not deployed." >&2 && exit 1 ;;
esac
