import type { OptionDeclarations, OptionValues } from "./options.js";

export interface Subcommand {
  (words: readonly string[]): Promise<number>;
  /** Declaration for help and parsing. Absent for internal entry points, which help doesn't list. */
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
  /** Help texts of the arguments, keyed by `<NEEDED>`, `[OPTIONAL]` or `[SEVERAL...]`. */
  readonly arguments?: Readonly<Record<string, string>>;
  readonly options?: O;
  /** Text after the options in help. */
  readonly epilogue?: string;
  /** Set if the subcommand accepts a command after `--`, which is passed through unparsed. */
  readonly takesCommand?: true;
  run(line: CommandLine<O>): Promise<number>;
}

export interface GroupMember {
  readonly about: string;
  readonly load: () => Promise<Subcommand>;
  /** Runs the subcommand without loading its module. Resolves with undefined if the module must be loaded. */
  readonly elsewhere?: (words: readonly string[]) => Promise<number | undefined>;
  /** Set if help doesn't list the subcommand, because only programs use it. */
  readonly isHidden?: true;
}

export interface GroupDeclaration {
  /** Words after the program's name; empty for the program itself. */
  readonly name: string;
  readonly about: string;
  readonly members: Readonly<Record<string, GroupMember>>;
  readonly options?: OptionDeclarations;
  /** Group member that runs if the command line names none. */
  readonly defaultMember?: string;
  readonly epilogue?: string;
}
