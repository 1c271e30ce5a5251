# shellcheck shell=bash
# A node with TLS and JWTs, by Compose, from its keys to a disk that an initiator sees. Runs in a
# checkout on the node lab; prints a line for each step.
set -euo pipefail
iqn=iqn.2026-07.com.controller:whole-stack
keys=/etc/incudal-agent

base64url() { openssl base64 -A | tr '+/' '-_' | tr -d =; }

jwt() { # SCOPES
  local head claims
  head=$(printf '{"alg":"RS256","typ":"JWT"}' | base64url)
  claims=$(printf '{"iss":"https://id.example","aud":"storage","sub":"control-plane","scope":"%s","exp":%d}' \
    "$1" $(($(date +%s) + 300)) | base64url)
  printf '%s.%s.%s' "$head" "$claims" \
    "$(printf '%s.%s' "$head" "$claims" | openssl dgst -sha256 -sign issuer.pem -binary | base64url)"
}

call() { # EXPECTED-STATUS PATH CURL-ARGUMENT...
  local expected=$1 path=$2 status
  shift 2
  status=$(curl -s -m 60 --cacert $keys/cert.pem -H "Authorization: Bearer $token" -o answer -w '%{http_code}' \
    "$@" "https://localhost:4840$path")
  echo "$status $path"
  [ "$status" = "$expected" ] || {
    cat answer
    docker logs --tail 20 incudal-agent
    exit 1
  }
}

ready() { curl -fs -m 2 --cacert $keys/cert.pem https://localhost:4840/readyz; }

install -d $keys
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost \
  -addext subjectAltName=DNS:localhost -keyout $keys/key.pem -out $keys/cert.pem 2>keys.log
openssl genrsa -out issuer.pem 2048 2>>keys.log
openssl rsa -in issuer.pem -pubout -out $keys/issuer.pub 2>>keys.log
chown -R 4840:4840 $keys
install -d -o 4840 -g 4840 /home/iscsi_img /var/log/ipxe-agent

cd src/main/docker
docker-compose down >/dev/null 2>&1 || true
cat >.env <<END
COMPOSE_PROFILES=stgt
DOCKER_GID=$(stat -c %g /run/docker.sock)
IPXE_AGENT_TOKEN=
IPXE_TLS_CERT=$keys/cert.pem
IPXE_TLS_KEY=$keys/key.pem
IPXE_JWT_PUBLIC_KEY_FILE=$keys/issuer.pub
IPXE_JWT_ISSUER=https://id.example
IPXE_JWT_AUDIENCE=storage
END
docker-compose up -d 2>/dev/null
cd -
for _ in $(seq 300); do ! ready || break; sleep 0.1; done

token=$(jwt 'lun:read lun:write')
call 200 /lun/disk -H 'Content-Type: application/json' -d "{\"iqn\":\"$iqn\",\"size\":\"64M\"}"
iscsi-inq "iscsi://127.0.0.1/$iqn/1" | grep -i vendor
iscsi-readcapacity16 "iscsi://127.0.0.1/$iqn/1" | grep -i 'total size'
call 200 "/lun?iqn=$iqn&delete_file=true" -X DELETE
call 403 /metrics
! iscsi-inq "iscsi://127.0.0.1/$iqn/1" >/dev/null 2>&1 || exit 1
token=$(jwt 'metrics:read logs:read')
call 200 /logs
grep -o '"principal":"[^"]*"' answer | sort -u
call 200 /metrics
# 3 is for matters of style.
promtool check metrics <answer >style || [ $? = 3 ]
grep -c '^incudal_' answer
