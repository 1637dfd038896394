/** Writer ids identify who changed a file: an agent by its tab's id, others by this prefix. Tab ids are UUIDs, so the two never collide. */
const prefix = "writer:";

/** VS Code itself or an extension, for example its chat, a rename or a search and replace. */
export const editorWriter = `${prefix}VS Code`;

export const programWriter = `${prefix}another program`;

/** Returns the writer id for git. `work` is git's operation, such as `checkout`; empty if unknown. */
export function gitWriter(work: string): string {
  return `${prefix}${work === "" ? "git" : `git ${work}`}`;
}

/** Returns a writer's display name; undefined for an agent. */
export function nameOfWriter(id: string): string | undefined {
  return id.startsWith(prefix) ? id.slice(prefix.length) : undefined;
}
