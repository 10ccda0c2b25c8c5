# Run by the image of PostgreSQL once, for an empty data folder.
psql --set=ON_ERROR_STOP=1 --username=postgres --file=/secrets/database/role.sql
