import { readAuthority, type Target, targetText } from "./target.js";

/** The hosts of all addresses of http and https that stand in what package managers say of themselves. */
export function hostsIn(text: string): readonly Target[] {
  const found = new Map<string, Target>();
  for (const [, scheme = "", authority = ""] of text.matchAll(/\b(https?):\/\/([^\s/"',|?#]+)/gi)) {
    // Some have a name and a key before the host.
    const target = readAuthority(
      authority.slice(authority.lastIndexOf("@") + 1),
      scheme.toLowerCase() === "http" ? 80 : 443,
    );
    if (target && !target.address) found.set(targetText(target), target);
  }
  return [...found.values()];
}
