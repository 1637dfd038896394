/** The questions that are asked of everybody. */
export type IdeQuestion = "definition" | "references" | "symbols";

export interface IdeReply {
  /** As an agent would read it, or as the language server wrote it. */
  readonly text: string;
  readonly isRight: boolean;
}

/** Somebody who answers questions about one project, and runs. */
export interface IdeSubject extends AsyncDisposable {
  readonly pid: number;
  /** Of the list of tools; 0 where there is none. */
  readonly toolListBytes: number;
  ask(question: IdeQuestion): Promise<IdeReply>;
  /** As a client does that goes away: everything should end by itself. */
  endInput(): void;
}

/** One column of the table: a way from a question about a project to its answer. */
export interface IdeLane {
  readonly name: string;
  /** Starts the subject in the project's folder. All of the subject's processes get `env`. */
  open(env: Readonly<Record<string, string>>): Promise<IdeSubject>;
}
