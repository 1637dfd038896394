import type { OptionDeclarations, OptionValues } from "./options.js";

export interface Subcommand {
  (words: readonly string[]): Promise<number>;
  /** Absent for internal entry points, which help doesn't list. */
  readonly declaration?: SubcommandDeclaration<OptionDeclarations> | GroupDeclaration;
}

export interface CommandLine<O extends OptionDeclarations> {
  readonly values: OptionValues<O>;
  readonly positionals: readonly string[];
  /** Words after `--` if the subcommand accepts a command; undefined without `--`. */
  readonly command: readonly string[] | undefined;
}

export interface SubcommandDeclaration<O extends OptionDeclarations> {
  readonly name: string;
  readonly about: string;
  /** Help texts, keyed by `<NEEDED>`, `[OPTIONAL]` or `[SEVERAL...]`. */
  readonly arguments?: Readonly<Record<string, string>>;
  readonly options?: O;
  /** Text after the options in help. */
  readonly epilogue?: string;
  /** Accepts a command after `--`, which is passed through unparsed. */
  readonly takesCommand?: true;
  run(line: CommandLine<O>): Promise<number>;
}

export interface GroupMember {
  readonly about: string;
  readonly load: () => Promise<Subcommand>;
  /** Runs the subcommand without loading its module. Resolves with undefined if the module must be loaded. */
  readonly elsewhere?: (words: readonly string[]) => Promise<number | undefined>;
  /** Hidden from help; for use by programs. */
  readonly isHidden?: true;
}

export interface GroupDeclaration {
  /** Words after the program's name; empty for the program itself. */
  readonly name: string;
  readonly about: string;
  readonly members: Readonly<Record<string, GroupMember>>;
  readonly options?: OptionDeclarations;
  /** Member that runs if none is named. */
  readonly defaultMember?: string;
  readonly epilogue?: string;
}
