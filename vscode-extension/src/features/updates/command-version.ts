import { isNewer } from "../agents/outdated.js";

/** Versions of Symposium itself. */
interface CommandVersions {
  /** Of this extension, which has the command of the same version inside. */
  readonly own: string;
  /** The one that the registry lists. */
  readonly listed?: string;
  /** What `--version` of another command printed, and its path in the settings. */
  readonly chosen?: { readonly path: string; readonly text: string };
}

/** What is newer than the command that runs, in one line, or undefined. */
export function commandLine({ own, listed, chosen }: CommandVersions): string | undefined {
  const newest = listed !== undefined && isNewer(listed, own) ? listed : own;
  const running = chosen === undefined ? own : /\d+\.\d+\.\d+\S*/.exec(chosen.text)?.[0];
  if (running === undefined || !isNewer(newest, running)) return undefined;
  if (chosen === undefined) return `Symposium ${own} → ${newest}: update this extension`;
  return `symposium-acp-agent ${running} → ${newest}: ${chosen.path} is your own, and you update it where it is from`;
}
