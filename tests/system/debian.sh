# Copies of the folder that tests/system/debian makes, for scripts that run as
# root. Packages that are fetched there are kept beside it.
# shellcheck shell=sh

# debian_open SUITE FOLDER: the base system of a suite, git, make and certificates.
debian_open() {
    pristine=$("$here/tests/system/debian" "$1" "bare/$1" \
        git make ca-certificates)
    archives=${pristine%/*}/archives-$1
    mkdir -p "$archives/partial"
    cp -a "$pristine" "$2"
    mount -t proc proc "$2/proc"
    mount --bind "$archives" "$2/var/cache/apt/archives"
}

# debian_devices FOLDER: what a real machine has besides, cgroups among it.
debian_devices() {
    for below in sys dev; do
        mount --rbind "/$below" "$1/$below"
        mount --make-rslave "$1/$below"
    done
}

# debian_close FOLDER: remove it.
debian_close() {
    for below in proc sys dev var/cache/apt/archives; do
        ! mountpoint -q "$1/$below" || umount -R -l "$1/$below"
    done
    rm -rf --one-file-system "$1"
}

# debian_run FOLDER COMMAND: run a command of sh in there.
debian_run() {
    chroot "$1" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin \
        DEBIAN_FRONTEND=noninteractive sh -c "$2" </dev/null
}
