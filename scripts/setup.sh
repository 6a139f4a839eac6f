# Sourced by ./demo and ./check, from the root of the checkout: installs what is missing. A second
# run finds nothing missing, and needs neither the network nor root.

say() { printf '== %s\n' "$*"; }
fail() { printf 'headrace: %s\n' "$*" >&2; exit 1; }

as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

# Prints the listed packages of the groups $@ that are not installed.
missing_packages() {
  local group package
  while read -r group package; do
    case " $* " in *" $group "*) ;; *) continue ;; esac
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] ||
      printf '%s\n' "$package"
  done < <(grep -v '^#' scripts/debian-packages.txt)
}

install_packages() {
  command -v dpkg-query >/dev/null ||
    fail "this is not Debian: install by hand what scripts/debian-packages.txt lists, as docs/developing.md says"
  local missing
  mapfile -t missing < <(missing_packages "$@")
  [ "${#missing[@]}" -gt 0 ] || return 0
  say "Installing Debian packages: ${missing[*]}"
  [ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null || fail "needs root or sudo to install them"
  as_root apt-get update -qq
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    "${missing[@]}"
}

# The first python3 that has venv; Debian's own, as a python3 of pyenv or conda may lack it.
python_with_venv() {
  local python
  for python in /usr/bin/python3 python3; do
    "$python" -c 'import ensurepip, sys; assert sys.version_info >= (3, 11)' 2>/dev/null || continue
    printf '%s\n' "$python"
    return
  done
  fail "no Python >= 3.11 with venv"
}

# install_python [EXTRA]: the package, editable, and its dependencies in .venv, with the tools of
# ./check when EXTRA is "check". What an earlier ./check has installed serves ./demo as well.
install_python() {
  local extra=${1:-} place stamp
  place="$(pwd -P) $(sha256sum <pyproject.toml)"
  for stamp in ".venv/installed-${extra:-run}" .venv/installed-check; do
    [ "$(cat "$stamp" 2>/dev/null)" != "$place" ] || return 0
  done
  say "Installing the headrace command into .venv"
  # A checkout that was moved has a .venv whose scripts name the old place.
  [ "$(cat .venv/place 2>/dev/null)" = "$(pwd -P)" ] || rm -rf .venv
  [ -x .venv/bin/python ] || "$(python_with_venv)" -m venv .venv
  pwd -P >.venv/place
  .venv/bin/python -m pip install --quiet --disable-pip-version-check --editable ".${extra:+[$extra]}"
  printf '%s\n' "$place" >".venv/installed-${extra:-run}"
}

# build_preset PRESET [CMAKE --build ARGUMENTS]: silent when there is nothing to do.
build_preset() {
  local preset=$1
  shift
  [ "build/$preset/build.ninja" -nt CMakePresets.json ] || cmake --preset "$preset" || return
  cmake --build --preset "$preset" "$@"
}
