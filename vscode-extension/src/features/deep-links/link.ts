import * as l10n from "@vscode/l10n";
/** Parsed link to this extension: `vscode://symposium-dev.symposium/prompt?text=…` or `/session?id=…`. */
type Link =
  | { readonly kind: "prompt"; readonly text: string }
  | { readonly kind: "session"; readonly id: string }
  | { readonly kind: "refused"; readonly reason: string };

/** Maximum prompt length in characters, so that the user can read all of it before agreeing. */
const maxTextChars = 8_000;
const maxIdChars = 200;

const known = l10n.t("Symposium opens links with the paths /prompt?text=… and /session?id=….");

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
      if (text === "") return refused(l10n.t("The link has no text. {0}", known));
      if (text.length > maxTextChars)
        return refused(
          l10n.t(
            "The link's prompt has {0} characters; the limit is {1}. Paste it yourself.",
            text.length,
            maxTextChars,
          ),
        );
      return { kind: "prompt", text };
    }
    case "session": {
      const id = /(?:^|&)id=([^&]*)/u.exec(query)?.[1]?.trim() ?? "";
      if (id === "") return refused(l10n.t("The link has no session ID. {0}", known));
      if (id.length > maxIdChars || /[\s\p{C}]/u.test(id))
        return refused(l10n.t("The ID in the link isn't a valid session ID."));
      return { kind: "session", id };
    }
    default:
      return refused(l10n.t('The link\'s path "{0}" is unknown. {1}', shortened(path), known));
  }
}

function refused(reason: string): Link {
  return { kind: "refused", reason };
}

function shortened(path: string): string {
  const visible = path.replaceAll(/\p{C}/gu, "?");
  return visible.length > 60 ? `${visible.slice(0, 60)}…` : visible;
}
