# Sourced by the other scripts: the checkout as working directory, and its virtual environment.
cd "$(dirname "${BASH_SOURCE[0]}")/.."
venv="${VENV:-.venv}"
bin="$venv/bin"

# retry COMMAND...: three times, for networks that fail now and then
retry() {
    local try
    for try in 1 2 3; do
        "$@" && return 0
        echo "failed (try $try of 3): $*" >&2
        sleep $((try * 5))
    done
    return 1
}
