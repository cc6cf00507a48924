#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# Writes to a file and prints what became of it, for tests that need to know
# the errno.
#
#     put.pl [OPTION...] FILE TEXT...
#     put.pl --batch <LINES          each line: arguments, separated by tabs
#
#     -a     open with O_APPEND
#     -c     open with O_CREAT, as a shell does
#     -o     open for reading only
#     -p N   seek to N first
#     -r     open for reading and writing
#
# Each TEXT is one write(2) on the same open file. In a TEXT \n, \t, \\ and \xHH
# are what they are in C; TEXT*N stands for N times the TEXT before the star.
# Printed is a word for each write, the number of bytes or the error's name,
# and one for the close if that failed; "open:NAME" if there was no open, and
# "ok" if there is nothing else to say.
#
# perl-base is on every Debian; so is all that is used here.

use strict;
use warnings;
use Errno;
use Fcntl;

sub name {
	my ($errno) = @_;
	local $! = $errno;
	my @names = sort(grep { $!{$_} } keys(%!));

	return @names ? $names[0] : "errno$errno";
}

sub text {
	my ($text) = @_;
	my $times = $text =~ s/(?<!\\)\*(\d+)$// ? $1 : 1;

	$text =~ s{\\(x([0-9a-fA-F]{2})|.)}{
		defined($2) ? chr(hex($2)) :
		$1 eq 'n' ? "\n" : $1 eq 't' ? "\t" : $1
	}ge;
	return $text x $times;
}

sub put {
	my $flags = O_WRONLY;
	my ($seek, @words);

	while (@_ && $_[0] =~ /^-([acopr])$/) {
		shift(@_);
		$flags |= O_APPEND if $1 eq 'a';
		$flags |= O_CREAT if $1 eq 'c';
		$flags = O_RDONLY if $1 eq 'o';
		$flags = O_RDWR if $1 eq 'r';
		$seek = shift(@_) if $1 eq 'p';
	}
	my $path = shift(@_);

	sysopen(my $file, $path, $flags) or return 'open:' . name($!);
	if (defined($seek)) {
		defined(sysseek($file, $seek, 0)) or
			push(@words, 'seek:' . name($!));
	}
	for (@_) {
		my $text = text($_);
		my $count = syswrite($file, $text);

		push(@words, defined($count) ? $count : name($!));
	}
	close($file) or push(@words, 'close:' . name($!));
	return @words ? "@words" : 'ok';
}

$| = 1;
if (@ARGV && $ARGV[0] eq '--batch') {
	while (defined(my $line = <STDIN>)) {
		chomp($line);
		print(put(split(/\t/, $line, -1)), "\n");
	}
} else {
	print(put(@ARGV), "\n");
}
