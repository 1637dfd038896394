interface MessageQuestions {
  /** Asks whether to use the message although the user has edited the input meanwhile. */
  readonly use: () => Promise<boolean>;
  readonly putBack: () => Promise<boolean>;
}

/**
 * Puts a message into an input whose text was `before` at the time of the request. The user can restore the replaced text, and afterwards
 * the message with any edits.
 */
export async function placeMessage(
  input: { value: string },
  message: string,
  before: string,
  { use, putBack }: MessageQuestions,
): Promise<void> {
  if (input.value !== before && !(await use())) return;
  let [placed, replaced] = [message, input.value];
  input.value = placed;
  while (replaced.trim() !== "" && replaced !== placed && (await putBack())) {
    const found = input.value;
    // If the user hasn't edited the text, there is nothing to restore.
    [placed, replaced] = [replaced, found === placed ? "" : found];
    input.value = placed;
  }
}
