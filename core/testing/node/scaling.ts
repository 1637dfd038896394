/** Pieces that hostile texts repeat: each begins something that a parser or a pattern may look for the end of. */
const units = [
  ...[
    "a",
    "a ",
    " ",
    "\n",
    "\t",
    "(",
    "[",
    "{",
    "{a,",
    "}",
    "<",
    "<a",
    ">",
    '"',
    "'",
    "`",
    "`a `(",
    "\\",
    "/",
    "./",
    "a/",
    "..",
    ". ",
  ],
  ...[
    ":",
    "a:1:",
    "(1,",
    "error: ",
    "a:",
    "@",
    "@a/",
    "=",
    "a=b ",
    "-",
    "- ",
    "-c",
    "1. ",
    "0",
    ",",
    ";",
    "|",
    "&&",
    "$",
    "${",
    "$(",
    "!{",
    "*",
    "*a",
    "**",
    "/*a*a*a",
  ],
  ...[
    "as ",
    "use ",
    "a::{",
    "a?",
    "(a|",
    "(a+)+",
    "git ",
    "env -S ",
    "sh -c ",
    "<<A\n",
    "if a\n",
    "password ",
    "http://a:",
    "bearer ",
    "{{",
    "!`a",
    "-----BEGIN ",
  ],
];

/** A shorter processor time may be noise. */
const floorMs = 50;

function timeOf(match: (text: string) => unknown, text: string, times: number): number {
  const all = Array.from({ length: times }, () => {
    const start = process.cpuUsage();
    try {
      match(text);
    } catch {
      // Refused, which is an answer.
    }
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1_000;
  });
  return Math.min(...all);
}

/** A longer processor time is no noise. */
const ceilingMs = 500;

/**
 * Returns the repeated pieces for which `match` takes more than 15 times as long with ten times the text: from 2,000 to 20,000
 * characters and, as short texts may be compiled or cached otherwise, from 20,000 to 200,000. The shortest processor time of
 * several runs counts, which other programs of the machine hardly change.
 */
export function slowPieces(match: (text: string) => unknown): readonly string[] {
  return units.flatMap((unit) => {
    const [short = "", long = "", longest = ""] = [2_000, 20_000, 200_000].map((length) =>
      unit.repeat(Math.ceil(length / unit.length)),
    );
    if (timeOf(match, long, 1) < floorMs) return [];
    const [before, after] = [timeOf(match, short, 5), timeOf(match, long, 5)];
    if (after <= floorMs || after <= before * 15) return [];
    const isSlow = after > ceilingMs || timeOf(match, longest, 3) > after * 15;
    return isSlow ? [`${JSON.stringify(unit)}: ${before.toFixed(1)} ms, then ${after.toFixed(1)} ms`] : [];
  });
}
