/**
 * Who changed a file, as an id: that of the tab whose agent it was, or of somebody who has no tab. Ids of tabs are UUIDs,
 * so the two are never the same.
 */
const prefix = "writer:";

/** VS Code itself, or an extension: its chat, a rename, a replacement in files. */
export const editorWriter = `${prefix}VS Code`;

/** Anybody else who writes to disk. */
export const programWriter = `${prefix}another program`;

/** `work` is what git says of it, such as `checkout`; empty where it says nothing. */
export function gitWriter(work: string): string {
  return `${prefix}${work === "" ? "git" : `git ${work}`}`;
}

/** What the user reads; undefined for an agent. */
export function nameOfWriter(id: string): string | undefined {
  return id.startsWith(prefix) ? id.slice(prefix.length) : undefined;
}
