#!/bin/sh
# sh make-secrets.sh FOLDER: makes what the services prove themselves with: an authority, a certificate of the database and
# one of the gateways, and the password of the gateways' role. Does nothing where that is there.
set -eu
cd "$1"
[ -e gateway/database-url ] && exit 0
umask 077
mkdir -p authority database gateway
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
new_key='-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes'

# Its key is not kept: nobody can make another certificate.
openssl req -x509 $new_key -days 3650 -subj '/CN=Authority of the cluster' \
  -keyout "$work/authority.key" -out authority/authority.crt 2>"$work/errors" || { cat "$work/errors" >&2; exit 1; }
chmod 644 authority/authority.crt

certificate() {
  openssl req $new_key -subj "/CN=$1" -keyout "$1/server.key" -out "$work/$1.csr" 2>"$work/errors" &&
    echo "subjectAltName=$2" >"$work/$1.ext" &&
    openssl x509 -req -in "$work/$1.csr" -CA authority/authority.crt -CAkey "$work/authority.key" \
      -set_serial "0x$(openssl rand -hex 15)" -days 825 -extfile "$work/$1.ext" -out "$1/server.crt" 2>"$work/errors" ||
    { cat "$work/errors" >&2; exit 1; }
}
certificate database DNS:database,DNS:localhost
certificate gateway DNS:one,DNS:two,DNS:three,DNS:localhost,IP:127.0.0.1

password=$(openssl rand -hex 32)
cat >database/role.sql <<SQL
CREATE ROLE gateways LOGIN PASSWORD '$password';
CREATE DATABASE holdpoint OWNER gateways ENCODING 'UTF8' TEMPLATE template0;
SQL
# Last: it says that everything is there.
authority=$(pwd)/authority/authority.crt
echo "postgres://gateways:$password@database:5432/holdpoint?sslmode=verify-full&sslrootcert=$authority" >gateway/database-url
