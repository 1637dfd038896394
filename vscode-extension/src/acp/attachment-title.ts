import { basename } from "node:path";
import type { Attachment } from "../../protocol/index.js";
import { pathOfFileUri } from "@symposium-dev/core";

/** Returns the English title of an attachment for agents and stored conversations. Labels are for the user and may be translated. */
export function attachmentTitle(attachment: Attachment): string {
  switch (attachment.type) {
    case "problems": {
      const { uri } = attachment;
      return uri === undefined ? "Problems" : `Problems in ${basename(pathOfFileUri(uri) ?? uri)}`;
    }
    case "git-diff":
      return "Changes";
    case "text":
      return attachment.title ?? attachment.label;
    default:
      return attachment.label;
  }
}
