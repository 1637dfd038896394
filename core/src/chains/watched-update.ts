import type { Notification } from "../rpc/message.js";

/** The kinds of `session/update` that say what an agent offers. */
const watchedKinds = ["available_commands_update", "config_option_update", "current_mode_update"] as const;
export type WatchedKind = (typeof watchedKinds)[number];

const marker = '"sessionUpdate"';
const quote = 0x22;

/**
 * Which of these kinds a `session/update` is, if any. Looks at the text alone, at the first member of that name: an
 * agent that puts another one before it is not understood, and its update passes as it is.
 */
export function watchedKindOf(notification: Notification): WatchedKind | undefined {
  const text = notification.frame?.text ?? notification.params?.text ?? "";
  const place = text.indexOf(marker, notification.frame?.params.start ?? 0);
  if (place === -1) return undefined;
  const start = text.indexOf('"', place + marker.length) + 1;
  for (const kind of watchedKinds) {
    if (text.startsWith(kind, start) && text.charCodeAt(start + kind.length) === quote) return kind;
  }
  return undefined;
}
