import type { OptionDeclarations, OptionValues } from "./options.js";

/** Takes the words after its name and resolves to the exit code. */
export interface Subcommand {
  (words: readonly string[]): Promise<number>;
  /** Absent for programs' own entries, which no help lists. */
  readonly declaration?: SubcommandDeclaration<OptionDeclarations> | GroupDeclaration;
}

/** The words after a subcommand, read. */
export interface CommandLine<O extends OptionDeclarations> {
  readonly values: OptionValues<O>;
  /** The arguments, as many as are declared. */
  readonly positionals: readonly string[];
  /** The words after `--`, if the subcommand takes a command there; undefined without `--`. */
  readonly command: readonly string[] | undefined;
}

/** Words and options of a subcommand. Its help and its parser are both made of this. */
export interface SubcommandDeclaration<O extends OptionDeclarations> {
  /** Its words after the program's name, such as `registry list`. */
  readonly name: string;
  /** Its description in the help. */
  readonly about: string;
  /** `<NEEDED>`, `[OPTIONAL]` or `[SEVERAL...]`, and what the help says of each. */
  readonly arguments?: Readonly<Record<string, string>>;
  readonly options?: O;
  /** A command may stand after `--`, which is left as it is. */
  readonly takesCommand?: true;
  run(line: CommandLine<O>): Promise<number>;
}

/** A subcommand of a group, such as `list` of `registry`. */
export interface GroupMember {
  /** Its description in the group's help. */
  readonly about: string;
  /** It is loaded when it is asked for. */
  readonly load: () => Promise<Subcommand>;
  /** Does its work without loading it; resolves with undefined if it has to be loaded. */
  readonly elsewhere?: (words: readonly string[]) => Promise<number | undefined>;
  /** It is for programs, and in no list. */
  readonly isHidden?: true;
}

export interface GroupDeclaration {
  /** Its words after the program's name; empty for the program itself. */
  readonly name: string;
  readonly about: string;
  readonly members: Readonly<Record<string, GroupMember>>;
  /** Options of its members that may also stand before their names. */
  readonly options?: OptionDeclarations;
  /** The member that is meant where none is named. */
  readonly defaultMember?: string;
  /** The last lines of the help. */
  readonly epilogue?: string;
}
