/** What is left of the 64 characters of every model service after `mcp__vscode_tools__`, the longest of agents' prefixes. */
export const longestToolName = 45;

const allowed = /^[A-Za-z0-9_-]+$/;

/**
 * Names under which agents can call tools whose own names may be anything: letters, digits, `_` and `-`, at most
 * {@link longestToolName}. A name that fits stays; another one gets an end that depends on it alone, so it is the same
 * in every session. Returned in the order of `names`, without two that are equal; `names` has none twice.
 */
export function toolAliases(names: readonly string[], reserved: readonly string[] = []): readonly string[] {
  const fitting = new Set(names.filter(isFitting));
  const taken = new Set([...reserved, ...fitting]);
  return names.map((name) => {
    if (isFitting(name) && !reserved.includes(name)) return name;
    for (let attempt = 0; ; attempt++) {
      const alias = shortened(name, attempt);
      if (taken.has(alias)) continue;
      taken.add(alias);
      return alias;
    }
  });
}

function isFitting(name: string): boolean {
  return name.length <= longestToolName && allowed.test(name);
}

function shortened(name: string, attempt: number): string {
  const end = `_${hashOf(attempt === 0 ? name : `${name} ${attempt}`)}`;
  const plain = name.replace(/[^A-Za-z0-9_-]+/g, "_").slice(0, longestToolName - end.length);
  return `${plain}${end}`;
}

/** FNV-1a in 32 bits, as six characters. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0).toString(36).padStart(7, "0").slice(-6);
}
