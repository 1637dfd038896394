/** An option `--NAME`, by its name. */
interface OptionDeclaration {
  /** What the help says of it. */
  readonly about: string;
  /** What the help calls its value; an option without one is a switch. */
  readonly value?: string;
  /** It may be given several times, and its value is a list. */
  readonly multiple?: true;
}

export type OptionDeclarations = Readonly<Record<string, OptionDeclaration>>;

/** What was given for the options of a declaration. */
export type OptionValues<O extends OptionDeclarations> = {
  readonly [Name in keyof O]?: O[Name] extends { readonly multiple: true }
    ? readonly string[]
    : O[Name] extends { readonly value: string }
      ? string
      : true;
};

/** The option of whoever vouches for folders: see `FolderTrust`. */
export const trustOption = {
  "trusted-folder": {
    value: "DIR",
    multiple: true,
    about: "trust DIR for this run only; repeatable",
  },
} as const satisfies OptionDeclarations;

/** Options of every subcommand that starts a chain. */
export const commonOptions = {
  ...trustOption,
  log: { value: "FILTER", about: "log to stderr: a level, or levels by target, such as info,mcp=debug" },
  "trace-dir": { value: "DIR", about: "write all messages to a file in DIR, with credentials redacted" },
} as const satisfies OptionDeclarations;

/** The option of subcommands whose sessions the host can keep. */
export const hostOption = {
  host: { about: "pass messages to the host, a background process that keeps sessions when their window closes" },
} as const satisfies OptionDeclarations;

/** The option of subcommands that start components, and no chain. */
export const logOption = { log: commonOptions.log } as const;

/** The option of subcommands that answer with `sayResult`. */
export const jsonOption = {
  json: { about: "print the result as one line of JSON" },
} as const satisfies OptionDeclarations;

export const proxyOption = {
  proxy: {
    value: "X",
    multiple: true,
    about:
      'a proxy; repeatable, nearest to the editor first. X is a built-in name, "defaults" for all built-in proxies, ' +
      "an installed id, a command line, or JSON",
  },
} as const satisfies OptionDeclarations;
