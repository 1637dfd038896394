import { type CancellationToken, chat, type ChatParticipant, type ChatRequestHandler, Uri } from "vscode";
import { messageOf } from "@symposium-dev/core";
import type { ModelCatalogue } from "./model-catalogue.js";
import type { ModelRequests } from "./model-requests.js";
import { conversationOf, participantMessages, toolTitles } from "./participant-messages.js";
import { ChunkedText } from "./well-formed.js";

interface ParticipantOptions {
  readonly catalogue: ModelCatalogue;
  readonly requests: ModelRequests;
  readonly currentId: () => string | undefined;
  readonly extensionUri: Uri;
}

/** Id of the chat participant. Must match package.json. */
const participantId = "symposium.participant";

/**
 * Registers `@symposium` in VS Code's chat. The participant talks to the selected model's agent, or to the current agent if there is none;
 * each chat has its own session, and agents use their own tools.
 */
export function registerParticipant(options: ParticipantOptions): ChatParticipant {
  const { catalogue, requests, currentId, extensionUri } = options;
  const handler: ChatRequestHandler = async (request, { history }, stream, token) => {
    const conversationId = conversationOf(history) ?? crypto.randomUUID();
    const signal = abortSignalOf(token);
    const text = new ChunkedText();
    const say = (words: string): void => {
      if (words !== "") stream.markdown(words);
    };
    const modelId =
      request.model.vendor === "symposium" ? request.model.id : (currentId() ?? catalogue.agents[0]?.id ?? "");
    try {
      const messages = await participantMessages(history, request);
      await requests.respond(
        { modelId, messages, conversationId, exposure: "agent", initiator: participantId },
        (part) => {
          if (part.type === "text") say(text.add(part.value));
          if (part.type === "thinking") for (const title of toolTitles(part.value)) stream.progress(title);
        },
        signal,
      );
      if (!signal.aborted) say(text.end());
      return { metadata: { conversationId } };
    } catch (thrown) {
      return { metadata: { conversationId }, errorDetails: { message: messageOf(thrown) } };
    }
  };
  const participant = chat.createChatParticipant(participantId, handler);
  participant.iconPath = Uri.joinPath(extensionUri, "media", "icon.png");
  return participant;
}

/** Converts the editor's token to a signal. The token's owner disposes the listener together with the token. */
export function abortSignalOf(token: CancellationToken): AbortSignal {
  const controller = new AbortController();
  if (token.isCancellationRequested) controller.abort();
  else token.onCancellationRequested(() => controller.abort());
  return controller.signal;
}
