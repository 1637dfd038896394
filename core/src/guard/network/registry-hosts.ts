import { readAuthority, type Target, targetText } from "./target.js";

/** Returns the hosts of all http and https URLs in the output of package managers. */
export function hostsIn(text: string): readonly Target[] {
  const found = new Map<string, Target>();
  for (const [, scheme = "", authority = ""] of text.matchAll(/\b(https?):\/\/([^\s/"',|?#]+)/gi)) {
    // Remove credentials, which precede the host.
    const target = readAuthority(
      authority.slice(authority.lastIndexOf("@") + 1),
      scheme.toLowerCase() === "http" ? 80 : 443,
    );
    if (target && !target.address) found.set(targetText(target), target);
  }
  return [...found.values()];
}
