# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# vm: --timeout 900
#
# Mounting, remounting and unmounting, loading and unloading, in any order and
# with files open.

. tests/lib/tap.sh
put=$PWD/tests/lib/put.pl
storm=$PWD/tests/lib/mountstorm.pl
at=/dev/oprofile

# What the file system is mounted with at $1.
options()
{
	awk -v at="$1" '$2 == at { print $4 }' /proc/mounts
}

rights()
{
	stat -c '%a %u:%g' "$1"
}

# shellcheck disable=SC2317 # called by ok
not()
{
	! "$@"
}

load()
{
	insmod "$OP_KO"
}

plan 70
mkdir -p /tmp/a /tmp/b
cd /

# --- the module stays as long as somebody has it ---

ok "unloading while mounted is refused" not rmmod oprofile
exec 3<$at/version
ok "unmounting while a file is open is refused" not umount $at
ok "unmounting lazily is not" umount -l $at
is "$(cat <&3)" "$(modinfo -F version "$OP_KO")" "the open file can be read"
ok "unloading while a file is open is refused" not rmmod oprofile
ok "mounting meanwhile" mount -t oprofilefs nodev $at
ok "the new mount works" test "$(cat $at/enable)" = 0
exec 3<&-
ok "unmounting" umount $at
ok "unloading" rmmod oprofile
ok "nothing is left of it" not grep oprofile /proc/filesystems
ok "loading" load
ok "mounting" mount -t oprofilefs nodev $at
cd $at/stats || exit 1
ok "unmounting while somebody is inside is refused" not umount $at
ok "lazily it is not" umount -l $at
ok "inside all is there" test "$(cat received)" = 0
ok "unloading is refused" not rmmod oprofile
cd /
ok "after leaving it works" rmmod oprofile
load

# --- mounting has nothing to do with sampling ---

mount -t oprofilefs nodev $at
echo 1 >$at/enable
umount $at
mount -t oprofilefs nodev $at
is "$(cat $at/enable)" 1 "it samples whether mounted or not"
umount $at
ok "unloading while sampling" rmmod oprofile
load
mount -t oprofilefs nodev $at
is "$(cat $at/enable)" 0 "loaded again it does not sample"
umount $at

# --- options ---

for bad in mode=01777 mode=7777 mode=8 mode=rw mode= mode=-1 mode \
	   uid=-1 uid=4294967295 uid= gid=-1 gid=4294967296 gid=x \
	   nonsense nonsense=1; do
	ok "mount -o $bad is refused" not mount -t oprofilefs -o $bad nodev $at
done
# mount(8) has an opinion of its own about the last number there is.
for bad in uid gid; do
	ok "mount -o $bad=4294967295 is refused by the kernel" \
		not busybox mount -t oprofilefs -o $bad=4294967295 nodev $at
done
is "$(options $at)" "" "and nothing is mounted"
ok "mounting with all options" \
	mount -t oprofilefs -o uid=7,gid=8,mode=0640 nodev $at
is "$(options $at)" rw,relatime,uid=7,gid=8,mode=0640 "they are shown"
is "$(rights $at) $(rights $at/enable) $(rights $at/version) $(:
	)$(rights $at/dump) $(rights $at/stats/cpu0/received)" \
	"750 7:8 640 7:8 440 7:8 200 7:8 440 7:8" "and hold"
exec 3<$at/version
cd $at/stats/cpu0 || exit 1
ok "remounting" mount -o remount,gid=9,mode=0604 $at
is "$(options $at)" rw,relatime,uid=7,gid=9,mode=0604 "what is new is shown"
is "$(rights $at) $(rights $at/enable) $(stat -Lc '%a %u:%g' /dev/fd/3) $(:
	)$(rights .) $(rights received)" \
	"705 7:9 604 7:9 404 7:9 705 7:9 404 7:9" \
	"and holds, also of what is in use"
cd /
exec 3<&-
ok "a bad remount is refused" not mount -o remount,mode=0666,uid=-1 $at
is "$(options $at)" rw,relatime,uid=7,gid=9,mode=0604 "and changes nothing"

# --- one tree, however often it is mounted ---

ok "a second mount" mount -t oprofilefs nodev /tmp/a
is "$(options /tmp/a)" rw,relatime,uid=7,gid=9,mode=0604 \
	"without options it changes none"
ok "a third mount" mount -t oprofilefs -o mode=0600 nodev /tmp/b
is "$(options $at) $(options /tmp/a) $(options /tmp/b)" \
	"rw,relatime,uid=7,gid=9 rw,relatime,uid=7,gid=9 rw,relatime,uid=7,gid=9" \
	"one with an option sets it for all"
echo 250 >$at/sync_ms
is "$(cat /tmp/a/sync_ms /tmp/b/sync_ms | tr '\n' ' ')" "250 250 " \
	"what is written here is read there"
umount $at
umount /tmp/a
is "$(options /tmp/b)" rw,relatime,uid=7,gid=9 "the last one keeps them"
umount /tmp/b
mount -t oprofilefs nodev $at
is "$(options $at) $(rights $at/enable)" "rw,relatime 600 0:0" \
	"after that they are forgotten"
is "$(cat $at/sync_ms)" 250 "unlike what was set in the files"
umount $at

# --- read-only ---

mount -t oprofilefs -o ro nodev $at
is "$("$put" $at/sync_ms '300\n')" open:EROFS "read-only"
mount -t oprofilefs nodev /tmp/a
is "$("$put" /tmp/a/sync_ms '300\n')" 4 "another mount is not"
is "$("$put" $at/sync_ms '301\n')" open:EROFS "the first one still is"
mount -o remount,rw $at
is "$("$put" $at/sync_ms '302\n')" 4 "until it is remounted"
mount -o remount,ro /tmp/a
is "$("$put" /tmp/a/sync_ms '303\n') $("$put" $at/sync_ms '304\n')" \
	"open:EROFS 4" "a mount that is remounted read-only is alone in that"
mount -t oprofilefs -o ro nodev /tmp/b
is "$("$put" /tmp/b/sync_ms '305\n') $("$put" $at/sync_ms '306\n')" \
	"open:EROFS 4" "so is a further one"
mount -o remount,bind,ro $at
mount -o remount,rw /tmp/a
is "$("$put" $at/sync_ms '307\n') $("$put" /tmp/a/sync_ms '308\n')" \
	"open:EROFS 4" "by way of bind as well"
is "$(options $at) $(options /tmp/a) $(options /tmp/b)" \
	"ro,relatime rw,relatime ro,relatime" "each is shown as it is"
umount /tmp/b
umount $at
umount /tmp/a

# --- again and again ---

ok "1000 times mounted and unmounted" "$storm" cycle 1000
ok "100 times unloaded while sampling and loaded" "$storm" reload 100 "$OP_KO"
ok "all of that at once" "$storm" storm 20 "$OP_KO"
ok "mounting after all that" mount -t oprofilefs nodev $at
ok "enabling" bash -c "echo 1 >$at/enable"
ok "unmounting" umount $at
ok "unloading" rmmod oprofile
ok "loading" load

finish
