/** How to start a program. No shell takes part. */
export interface Command {
  /** A program's name, looked up on PATH, or its path. */
  readonly command: string;
  readonly args: readonly string[];
  /** Added to, and stronger than, the environment of the conductor. */
  readonly env: Readonly<Record<string, string>>;
  /** Working folder; the conductor's own when absent. */
  readonly cwd?: string;
}
