#!/usr/bin/env bash
# Packs the package, installs it from nothing into an empty folder, and lives a new user's first minutes with it, on
# each Node that package.json allows. Needs a package registry. Usage: bash scripts/try-package.sh [NODE VERSION …]
set -euo pipefail
cd "$(dirname "$0")/.."
versions=("$@")
[ ${#versions[@]} -gt 0 ] || versions=(22 24)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
npm pack --silent --pack-destination "$work"
tarball=$(ls "$work"/batchwright-*.tgz)

for version in "${versions[@]}"; do
  echo "== Node $version"
  mkdir "$work/node-$version" "$work/user-$version"
  # npm's package `node` brings the wanted one, whatever runs this script.
  (cd "$work/node-$version" && npm init --yes >/dev/null && npm install --silent --no-audit --no-fund "node@$version")
  export PATH="$work/node-$version/node_modules/.bin:$PATH"
  cd "$work/user-$version"
  node --version
  npm init --yes >/dev/null
  # As the workflows install it: no install script of any package runs.
  npm install --silent --no-audit --no-fund --ignore-scripts "$tarball"
  npx batchwright --version
  npx batchwright init
  npx batchwright validate
  npx batchwright plan
  npx batchwright rehearse
  # A second one in the same folder writes nothing over.
  npx batchwright init >/dev/null
  cd - >/dev/null
done
