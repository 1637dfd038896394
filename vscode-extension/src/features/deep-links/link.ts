/** Parsed link to this extension: `vscode://symposium-dev.symposium/prompt?text=…` or `/session?id=…`. */
type Link =
  | { readonly kind: "prompt"; readonly text: string }
  | { readonly kind: "session"; readonly id: string }
  | { readonly kind: "refused"; readonly reason: string };

/** Maximum prompt length in characters, so that the user can read all of it before agreeing. */
const maxTextChars = 8_000;
const maxIdChars = 200;

const known = "Symposium opens links with the paths /prompt?text=… and /session?id=….";

/** Parses a link's path and query. The editor passes the query decoded once. Never throws. */
export function readLink(path: string, query: string): Link {
  switch (
    path
      .split("/")
      .filter((one) => one !== "")
      .join("/")
  ) {
    case "prompt": {
      // The text is the last parameter, so "&" needs no escape.
      const text = /(?:^|&)text=([^]*)$/u.exec(query)?.[1]?.trim() ?? "";
      if (text === "") return refused(`The link has no text. ${known}`);
      if (text.length > maxTextChars)
        return refused(
          `The link's prompt has ${text.length} characters; the limit is ${maxTextChars}. Paste it yourself.`,
        );
      return { kind: "prompt", text };
    }
    case "session": {
      const id = /(?:^|&)id=([^&]*)/u.exec(query)?.[1]?.trim() ?? "";
      if (id === "") return refused(`The link has no session ID. ${known}`);
      if (id.length > maxIdChars || /[\s\p{C}]/u.test(id))
        return refused("The ID in the link isn't a valid session ID.");
      return { kind: "session", id };
    }
    default:
      return refused(`The link's path "${shortened(path)}" is unknown. ${known}`);
  }
}

function refused(reason: string): Link {
  return { kind: "refused", reason };
}

function shortened(path: string): string {
  const visible = path.replaceAll(/\p{C}/gu, "?");
  return visible.length > 60 ? `${visible.slice(0, 60)}…` : visible;
}
