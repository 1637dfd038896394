interface OptionDeclaration {
  readonly about: string;
  /** Placeholder of the value in help. Options without a placeholder are switches. */
  readonly value?: string;
  readonly choices?: readonly string[];
  /** Set if the value is a whole number above 0. */
  readonly isCount?: true;
  /** Maximum of a value in seconds, which may be fractions. The parsed value is in milliseconds. */
  readonly mostSeconds?: number;
  /** Set if the option may occur several times. The value is then a list. */
  readonly multiple?: true;
}

export type OptionDeclarations = Readonly<Record<string, OptionDeclaration>>;

export type OptionValues<O extends OptionDeclarations> = {
  readonly [Name in keyof O]?: O[Name] extends { readonly multiple: true }
    ? readonly string[]
    : O[Name] extends { readonly choices: readonly (infer Choice)[] }
      ? Choice
      : O[Name] extends { readonly isCount: true } | { readonly mostSeconds: number }
        ? number
        : O[Name] extends { readonly value: string }
          ? string
          : true;
};

/** Option by which the caller vouches for folders; see `FolderTrust`. */
export const trustOption = {
  "trusted-folder": {
    value: "DIR",
    multiple: true,
    about: "trust DIR for this run only; repeatable",
  },
} as const satisfies OptionDeclarations;

export const commonOptions = {
  ...trustOption,
  log: { value: "FILTER", about: "log to stderr: a level, or levels by target, such as info,mcp=debug" },
  "trace-dir": { value: "DIR", about: "write all messages to a file in DIR, with credentials redacted" },
} as const satisfies OptionDeclarations;

export const hostOption = {
  host: {
    about: "pass messages to the host, a background process that keeps sessions running when their window closes",
  },
} as const satisfies OptionDeclarations;

/** Value of `--on` that overrides the setting `on`. */
export const here = "here";

export const machineOptions = {
  on: {
    value: "MACHINE",
    about:
      "run agents on another machine: ssh:HOST, container:NAME, devcontainer, kubernetes:POD, command:PROGRAM or JSON; " +
      'here runs them on this machine, even if the setting "on" names another',
  },
  folder: { value: "DIR", about: "with --on, the session's folder on that machine" },
} as const satisfies OptionDeclarations;

export const logOption = { log: commonOptions.log } as const;

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
