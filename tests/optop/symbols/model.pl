#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# Tables and maps that look random, the same at each run, and what is right for
# them by the plainest of means: a byte at a time.
#
#     model.pl symbols SEED >FILE.s 2>WANTED     an assembler source
#     model.pl maps SEED FOLDER >WANTED          perf-PID.map files
#     model.pl noise SEED FOLDER                 files of most kinds, of noise
#
# WANTED has "OFFSET NAME" for each offset, "-" where there is none.

use strict;
use warnings;

my ($what, $seed, $folder) = @ARGV;

sub number {
	my ($below) = @_;

	$seed = ($seed * 1103515245 + 12345) & 0x7fffffff;
	return ($seed >> 8) % $below;
}

sub symbols {
	my (@symbols, @at);
	my $length = 400;

	for my $n (1 .. 40 + number(40)) {
		my $start = number(4) ? number($length) : 16 * number(20);
		my $size = (0, 1, 8, 16, 16, number(200))[number(6)];
		my $bind = ('globl', 'globl', 'weak', 'local')[number(4)];
		my $type = ('function', 'function', 'function', 'object',
			    'notype')[number(5)];
		my $name = ('f', 'g', 'longer_name')[number(3)] . $n;

		$size = $length - $start if $start + $size > $length;
		push(@symbols, { start => $start, size => $size, name => $name,
				 bind => $bind, type => $type });
	}
	print ".text\n.globl _start\n_start = base\nbase: .skip $length, 0x90\n";
	for (@symbols) {
		print ".$_->{bind} $_->{name}\n" if $_->{bind} ne 'local';
		print ".type $_->{name}, \@$_->{type}\n",
			"$_->{name} = base + $_->{start}\n",
			".size $_->{name}, $_->{size}\n";
	}
	# The program's own entry and the mark at its start.
	push(@symbols, { start => 0, size => 0, name => $_->[0],
			 bind => $_->[1], type => 'notype' })
		for (['_start', 'globl'], ['base', 'local']);

	my %bind = (globl => 0, weak => 1, local => 2);
	sub rank {
		my ($s) = @_;
		return $s->{type} eq 'object' ? 3 : $s->{type} eq 'notype' ? 4 :
			{ globl => 0, weak => 1, local => 2 }->{$s->{bind}};
	}
	for my $offset (0 .. $length - 1) {
		my @here = grep { $_->{size} && $_->{start} <= $offset &&
				  $offset < $_->{start} + $_->{size} } @symbols;

		@here = grep { !$_->{size} && $_->{start} == $offset } @symbols
			unless @here;
		@here = sort { $b->{start} <=> $a->{start} ||
			       rank($a) <=> rank($b) ||
			       length($a->{name}) <=> length($b->{name}) ||
			       $a->{name} cmp $b->{name} } @here;
		print STDERR "$offset ", @here ? $here[0]{name} : '-', "\n";
	}
}

sub maps {
	my (%all, $length);

	$length = 300;
	for my $pid (1 .. 3) {
		my @own;

		open(my $out, '>', "$folder/perf-$pid.map") or die;
		for (1 .. number(25)) {
			my ($start, $size, $name) = (number($length), number(60),
						     'n' . number(3));

			$size = $length - $start if $start + $size > $length;
			printf $out "%x %x %s\n", $start + 0x1000, $size, $name;
			$own[$_] = $name for $start .. $start + $size - 1;
		}
		close($out);
		for (0 .. $length - 1) {
			push(@{$all{$_}}, $own[$_]) if defined($own[$_]);
		}
	}
	for my $offset (0 .. $length - 1) {
		my %names = map { $_ => 1 } @{$all{$offset} || []};

		printf "%d %s\n", $offset + 0x1000,
			keys(%names) == 1 ? keys(%names) : '-';
	}
}

sub bytes {
	my ($count) = @_;

	return join('', map { chr(number(256)) } 1 .. $count);
}

sub one_of {
	return $_[number(scalar(@_))];
}

sub noise {
	open(my $map, '>:raw', "$folder/perf-1.map") or die;
	for (1 .. number(200)) {
		print $map one_of(sprintf("%x %x n%d\n", number(5000), number(600),
					  number(9)),
				  "ffffffffffffff00 ffff x\n", bytes(30) . "\n",
				  "1 1\n", " \n", "x" x 70000 . "\n",
				  "0 ffffffffffffffff all\n");
	}
	close($map);

	my $dump = pack('L6Q2', 0x4a695444, 1, one_of(40, 40, 40, 0, 0xffffffff),
			62, 0, 2, 0, 0);
	for (1 .. number(40)) {
		my $body = one_of(bytes(number(100)),
			pack('L2Q4', 1, 1, 0, number(5000), number(500), 0) .
				"name\0" . bytes(9),
			pack('L2Q4', 1, 1, 0, number(5000), 1 << 62, 0) . 'name',
			pack('L2Q5', 1, 1, 0, number(5000), number(5000), 50, 0));

		$dump .= pack('LLQ', number(4), number(8) ? 16 + length($body) :
				one_of(0, 15, 16, 0xffffffff), 0) . $body;
	}
	open(my $out, '>:raw', "$folder/jit-2.dump") or die;
	print $out $dump;
	close($out);

	open($out, '>:raw', "$folder/kallsyms") or die;
	for my $n (1 .. 100) {
		print $out one_of(("ffffffff81000" . sprintf('%03x', $n) .
				   " t f$n\n") x 8,
				  "ffffffffc0000000 t m$n\t[mod]\n",
				  "ffffffffffffffff T last\n",
				  number(10) ? "0 T _stext\n" : bytes(20) . "\n");
	}
	close($out);
}

{ symbols => \&symbols, maps => \&maps, noise => \&noise }->{$what}->();
