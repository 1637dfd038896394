import { statSync } from "node:fs";
import type { Launcher } from "./launcher.js";

/** Where nobody but root writes, and every sandbox reads. */
const perl = "/usr/bin/perl";

/** The number of `sendmsg`, for which Perl has no function, by processor. */
const sendmsg: Readonly<Partial<Record<NodeJS.Architecture, number>>> = { x64: 46, arm64: 211 };

/**
 * What the launcher in `launcher.ts` does, for the Perl that most systems have: it starts in 2 ms where Node takes 40, needs no
 * module, and leaves the signals as they are. It speaks Node's IPC: one message of JSON a line, each listener beside its message as
 * a descriptor, the next one after the word that it has come.
 */
const script = (sendmsg: number): string => `
my ($ports, @words) = @ARGV;
sub fail { print STDERR "symposium-acp-agent: $_[1]\\n"; exit $_[0] }
my $no = "the network of the sandbox cannot be set up";
open(my $channel, "+<&=", delete $ENV{NODE_CHANNEL_FD}) or fail(125, "$no: $!");
delete @ENV{"NODE_CHANNEL_SERIALIZATION_MODE", "PERL_BADLANG"};
sub line {
  my ($text, $byte) = ("");
  while (sysread($channel, $byte, 1)) { return 1 if $byte eq "\\n"; $text .= $byte }
  fail(125, "$no: nobody serves it any more");
}
for my $port (split /,/, $ports) {
  my $address = pack("S n C4 x8", 2, $port, 127, 0, 0, 1);
  socket(my $server, 2, 1, 0) or fail(125, "$no: $!");
  bind($server, $address) && listen($server, 511) or fail(125, "$no: $!");
  my $text = qq({"cmd":"NODE_HANDLE","type":"net.Server","msg":{"port":$port}}\\n);
  my $vector = pack("P Q", $text, length $text);
  my $rights = pack("Q l l l x4", 20, 1, 1, fileno $server);
  my $message = pack("Q Q P Q P Q Q", 0, 0, $vector, 1, $rights, length $rights, 0);
  syscall(${sendmsg}, fileno $channel, $message, 0) == length $text or fail(125, "$no: $!");
  line();
  close $server;
}
line();
close $channel;
exec { $words[0] } @words;
fail($! == 2 ? 127 : 126, $! == 2 ? qq("$words[0]" is no program in the sandbox.) : "$words[0]: $!");
`;

/** Undefined where the system has none that we know how to use. */
export function systemLauncher(): Launcher | undefined {
  const number = process.platform === "linux" ? sendmsg[process.arch] : undefined;
  if (number === undefined || !isOwnedByRoot(perl)) return undefined;
  // Its complaint about a locale that is not installed would stand among what the program says.
  return { words: [perl, "-e", script(number), "--"], env: { PERL_BADLANG: "0" } };
}

function isOwnedByRoot(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.isFile() === true && stats.uid === 0;
}
