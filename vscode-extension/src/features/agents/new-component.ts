import { checkComponent } from "../settings/setting.js";

/** Where a component that the user adds comes from. */
export type NewSource = "executable" | "npx" | "pipx" | "uvx" | "cargo" | "url";

/** What a dialog asks for one source. */
export interface SourceQuestion {
  readonly source: NewSource;
  readonly label: string;
  readonly description: string;
  readonly prompt: string;
  readonly placeHolder: string;
}

export const sourceQuestions: readonly SourceQuestion[] = [
  {
    source: "executable",
    label: "From an executable on your system",
    description: "a command or a path, with its arguments",
    prompt: "The command line that starts it",
    placeHolder: "my-agent acp",
  },
  {
    source: "npx",
    label: "From an npm package",
    description: "installed once, started with Node",
    prompt: "The package, with a version if you like, and its arguments",
    placeHolder: "@scope/my-agent@1.2.3 --acp",
  },
  {
    source: "pipx",
    label: "From a Python package (pipx)",
    description: "installed into its own environment",
    prompt: "The package, with a version if you like, and its arguments",
    placeHolder: "my-agent==1.2.3 acp",
  },
  {
    source: "uvx",
    label: "From a Python package (uvx)",
    description: "run by uv",
    prompt: "The package, with a version if you like, and its arguments",
    placeHolder: "my-agent@1.2.3 acp",
  },
  {
    source: "cargo",
    label: "From a Rust crate",
    description: "built or fetched by cargo",
    prompt: "The crate, with a version if you like, and its arguments",
    placeHolder: "my-agent@1.2.3 acp",
  },
  {
    source: "url",
    label: "From a URL",
    description: "an extension.json that says how it starts",
    prompt: "The https address of its description",
    placeHolder: "https://github.com/owner/repository/blob/main/extension.json",
  },
];

/** A component as settings store it. */
export interface NewComponent {
  readonly id: string;
  readonly name: string;
  readonly distribution: Readonly<Record<string, unknown>>;
}

type NewComponentResult = NewComponent | { readonly problem: string };

/** Reads what the user typed for a source other than `url`, whose description is fetched by the command. */
export function readNewComponent(source: Exclude<NewSource, "url">, typed: string): NewComponentResult {
  const [first = "", ...args] = wordsOf(typed);
  if (first === "") return { problem: "Type what starts it." };
  const distribution = { [source]: distributionOf(source, first, args) };
  const id = idOf(source === "executable" ? nameOfPath(first) : withoutVersion(first));
  if (id === "") return { problem: `No name can be made of "${first}".` };
  const check = checkComponent(JSON.stringify({ id, distribution }));
  if (check.kind === "problem") return { problem: [check.message, check.hint].filter(Boolean).join(" ") };
  return { id, name: source === "executable" ? nameOfPath(first) : withoutVersion(first), distribution };
}

function distributionOf(source: Exclude<NewSource, "url">, first: string, args: readonly string[]): object {
  const withArgs = args.length === 0 ? {} : { args };
  if (source === "executable") return { command: first, ...withArgs };
  if (source !== "cargo") return { package: first, ...withArgs };
  const version = first.slice(withoutVersion(first).length).replace(/^@/, "");
  return { crate: withoutVersion(first), ...(version === "" ? {} : { version }), ...withArgs };
}

/** Words at spaces; quotes keep spaces in a word. A backslash is a character, since Windows paths have them. */
function wordsOf(typed: string): string[] {
  return [...typed.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? "",
  );
}

function withoutVersion(name: string): string {
  return /^(@?[^@=<>~!]+)/.exec(name)?.[1] ?? name;
}

function nameOfPath(path: string): string {
  const name = path.split(/[\\/]/).at(-1) ?? path;
  return name.replace(/\.(exe|cmd|bat|[cm]?js)$/i, "");
}

function idOf(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^[-._]+|[-._]+$/g, "");
}
