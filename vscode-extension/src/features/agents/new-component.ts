import * as l10n from "@vscode/l10n";
import { checkComponent } from "../settings/setting.js";

export type NewSource = "executable" | "npx" | "pipx" | "uvx" | "cargo" | "url";

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
    label: l10n.t("From an executable on your system"),
    description: l10n.t("a command or a path, with its arguments"),
    prompt: l10n.t("The command line that starts it"),
    placeHolder: "my-agent acp",
  },
  {
    source: "npx",
    label: l10n.t("From an npm package"),
    description: l10n.t("installed once, started with Node"),
    prompt: l10n.t("The package, optionally with a version and arguments"),
    placeHolder: "@scope/my-agent@1.2.3 --acp",
  },
  {
    source: "pipx",
    label: l10n.t("From a Python package (pipx)"),
    description: l10n.t("installed into its own environment"),
    prompt: l10n.t("The package, optionally with a version and arguments"),
    placeHolder: "my-agent==1.2.3 acp",
  },
  {
    source: "uvx",
    label: l10n.t("From a Python package (uvx)"),
    description: l10n.t("run by uv"),
    prompt: l10n.t("The package, optionally with a version and arguments"),
    placeHolder: "my-agent@1.2.3 acp",
  },
  {
    source: "cargo",
    label: l10n.t("From a Rust crate"),
    description: l10n.t("built or fetched by cargo"),
    prompt: l10n.t("The crate, optionally with a version and arguments"),
    placeHolder: "my-agent@1.2.3 acp",
  },
  {
    source: "url",
    label: l10n.t("From a URL"),
    description: l10n.t("an extension.json that describes how to start it"),
    prompt: l10n.t("The https address of its extension.json"),
    placeHolder: "https://github.com/owner/repository/blob/main/extension.json",
  },
];

export interface NewComponent {
  readonly id: string;
  readonly name: string;
  readonly distribution: Readonly<Record<string, unknown>>;
}

type NewComponentResult = NewComponent | { readonly problem: string };

/** Parses the user's input for every source except `url`. For a URL, the command fetches the description. */
export function readNewComponent(source: Exclude<NewSource, "url">, typed: string): NewComponentResult {
  const [first = "", ...args] = wordsOf(typed);
  if (first === "") return { problem: l10n.t("Enter a name or a command line.") };
  const distribution = { [source]: distributionOf(source, first, args) };
  const id = idOf(source === "executable" ? nameOfPath(first) : withoutVersion(first));
  if (id === "") return { problem: l10n.t('Can\'t create an ID from "{0}".', first) };
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

/** Splits at spaces outside quotes. A backslash is an ordinary character, since Windows paths use it. */
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
