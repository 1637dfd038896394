/** Command to start a program directly, without a shell. */
export interface Command {
  /** Program name, looked up on PATH, or a path. */
  readonly command: string;
  readonly args: readonly string[];
  /** Environment variables added to the conductor's environment; these values take precedence. */
  readonly env: Readonly<Record<string, string>>;
  /** Working folder; default is the conductor's. */
  readonly cwd?: string;
}
