/** A step of the scripted session: what a model asks for, by a shell and files of its own, or by our tools. */
export type SessionStep =
  /** Runs that were recorded, each with its runner and name. */
  | { readonly kind: "run"; readonly why: string; readonly runs: readonly (readonly [runner: string, name: string])[] }
  /** A package of this repository, and what is to be known of it. */
  | { readonly kind: "look-up"; readonly why: string; readonly name: string; readonly symbol: string }
  /** Text that a model writes into a file, with our tools or without. */
  | { readonly kind: "edit"; readonly why: string; readonly text: string };

const edit = (why: string, lines: number): SessionStep => ({
  kind: "edit",
  why,
  text: "  const total = items.reduce((sum, { price, count }) => sum + price * count, 0);\n".repeat(lines),
});

/** A morning in a repository with a part of TypeScript, tested by vitest, and one of Python, tested by pytest. */
export const sessionSteps: readonly SessionStep[] = [
  {
    kind: "run",
    why: "how things are",
    runs: [
      ["vitest", "many"],
      ["pytest", "many"],
    ],
  },
  { kind: "look-up", why: "what the parser offers", name: "jsonc-parser", symbol: "modify" },
  edit("the first faults", 12),
  {
    kind: "run",
    why: "better?",
    runs: [
      ["vitest", "faults"],
      ["pytest", "faults"],
    ],
  },
  edit("one more", 4),
  { kind: "run", why: "a mistake in writing", runs: [["vitest", "syntax"]] },
  edit("mended", 2),
  {
    kind: "run",
    why: "deep in the calls",
    runs: [
      ["vitest", "deep"],
      ["pytest", "deep"],
    ],
  },
  { kind: "look-up", why: "which options there are", name: "commander", symbol: "Option" },
  edit("the cause", 8),
  {
    kind: "run",
    why: "types and style",
    runs: [
      ["tsc", "faults"],
      ["eslint", "faults"],
      ["ruff", "faults"],
      ["mypy", "faults"],
    ],
  },
  edit("types and style", 10),
  {
    kind: "run",
    why: "again",
    runs: [
      ["tsc", "pass"],
      ["eslint", "pass"],
      ["ruff", "pass"],
      ["mypy", "pass"],
    ],
  },
  {
    kind: "run",
    why: "the tests of it",
    runs: [
      ["vitest", "set-up"],
      ["pytest", "set-up"],
    ],
  },
  { kind: "look-up", why: "what a diff returns", name: "diff", symbol: "structuredPatch" },
  edit("the set-up", 6),
  {
    kind: "run",
    why: "nearly",
    runs: [
      ["vitest", "long"],
      ["pytest", "pass"],
    ],
  },
  edit("the last one", 3),
  {
    kind: "run",
    why: "all of it",
    runs: [
      ["vitest", "pass"],
      ["pytest", "pass"],
      ["tsc", "pass"],
      ["eslint", "pass"],
    ],
  },
];
