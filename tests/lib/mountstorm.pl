#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# Mounts, unmounts, loads and unloads much faster than mount(8) and insmod(8)
# do. Stops with a message at the first thing that does not go as it should.
#
#     mountstorm.pl cycle N          mount, use, unmount, N times
#     mountstorm.pl reload N KO      unload while it samples, load, N times
#     mountstorm.pl storm SECONDS KO all of that from several processes; there
#                                    anything may fail, nothing may break
#
# Mounts at /dev/oprofile, /tmp/a and /tmp/b; begins and ends with nothing
# mounted and the module loaded.

use strict;
use warnings;
use Errno qw(EBUSY);
use Fcntl;
use POSIX ();

my %numbers = (
	x86_64 => { mount => 165, umount2 => 166, finit_module => 313,
		    delete_module => 176 },
	aarch64 => { mount => 40, umount2 => 39, finit_module => 273,
		     delete_module => 106 },
);
my $number = $numbers{(POSIX::uname())[4]} or die "unknown machine\n";
my $detach = 2;
my @places = ('/dev/oprofile', '/tmp/a', '/tmp/b');

# The kernel writes into none of these strings, but perl wants them writable.
sub mount {
	my ($at, $options) = @_;
	my ($source, $type) = ('nodev', 'oprofilefs');

	$options = '' unless defined($options);
	return syscall($number->{mount}, $source, $at, $type, 0, $options) == 0;
}

sub umount {
	my ($at, $flags) = @_;

	return syscall($number->{umount2}, $at, $flags || 0) == 0;
}

sub load {
	my ($ko) = @_;
	my $parameters = '';

	open(my $file, '<', $ko) or die "$ko: $!\n";
	return syscall($number->{finit_module}, fileno($file), $parameters, 0)
		== 0;
}

sub unload {
	my $name = 'oprofile';

	return syscall($number->{delete_module}, $name, O_NONBLOCK) == 0;
}

sub put {
	my ($path, $text) = @_;

	sysopen(my $file, $path, O_WRONLY) or return;
	return defined(syswrite($file, $text));
}

sub look {
	my ($path) = @_;

	open(my $file, '<', $path) or return;
	return scalar(<$file>);
}

sub list {
	my ($path) = @_;

	opendir(my $dir, $path) or return;
	return readdir($dir);
}

sub cycle {
	my ($i) = @_;
	my ($at, $a) = @places;

	mount($at, 'mode=0' . ($i % 2 ? '644' : '600')) or die "mount: $!\n";
	mount($a) or die "second mount: $!\n";
	open(my $events, '<', "$at/events") or die "events: $!\n";
	opendir(my $stats, "$a/stats") or die "stats: $!\n";
	open(my $maps, '+<', "$a/jit_maps") or die "jit_maps: $!\n";
	!umount($at) && $!{EBUSY} or die "umount while open: $!\n";
	umount($a, $detach) or die "lazy umount: $!\n";
	readdir($stats) or die "readdir: $!\n";
	scalar(<$events>) =~ /timer/ or die "events: $!\n";
	close($_) for $events, $maps;
	closedir($stats);
	umount($at) or die "umount: $!\n";
}

sub reload {
	my ($ko) = @_;
	my ($at) = @places;

	mount($at) or die "mount: $!\n";
	put("$at/enable", '1') or die "enable: $!\n";
	!unload() or die "unloaded while mounted\n";
	umount($at) or die "umount: $!\n";
	unload() or die "unload: $!\n";
	load($ko) or die "load: $!\n";
}

my @workers = (
	sub {
		mount($places[1]);
		umount($places[1]);
	},
	sub {
		my $maps;

		mount($places[2], 'mode=0666');
		if (sysopen($maps, "$places[2]/jit_maps", O_WRONLY)) {
			syswrite($maps, 'add_mapping a 0xffff');
		}
		list("$places[2]/$_") for '', 'images', 'stats', 'stats/cpu0';
		umount($places[2], $detach);
	},
	sub {
		unload() and load($_[0]);
	},
	sub {
		put("$places[1]/enable", '1');
		for my $at (@places[1 .. 2]) {
			look("$at/images/$_/hist") for list("$at/images");
			look("$at/jit_maps");
		}
		put("$places[2]/reset", '1');
		put("$places[2]/enable", '0');
	},
);

sub storm {
	my ($seconds, $ko) = @_;
	my $end = time() + $seconds;

	for my $worker (@workers) {
		my $pid = fork();

		die "fork: $!\n" unless defined($pid);
		next if $pid;
		while (time() < $end) {
			$worker->($ko) for 1 .. 10;
		}
		POSIX::_exit(0);
	}
	1 while wait() > 0;
	for my $at (@places) {
		1 while umount($at, $detach);
	}
	unload();
	load($ko) or die "load: $!\n";
}

my ($what, $n, $ko) = @ARGV;
if ($what eq 'cycle') {
	cycle($_) for 1 .. $n;
} elsif ($what eq 'reload') {
	reload($ko) for 1 .. $n;
} elsif ($what eq 'storm') {
	storm($n, $ko);
}
