/** What the user is asked about a message that takes the place of what stands in the input. */
interface MessageQuestions {
  /** The user has written meanwhile: shall the message be used? */
  readonly use: () => Promise<boolean>;
  /** Shall come back what has just been replaced? */
  readonly putBack: () => Promise<boolean>;
}

/**
 * Puts a message into an input that had `before` when it was asked for. What the user wrote until the last moment can be put back,
 * and so can what the user makes of the message before that.
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
    // As it was placed: nothing of the user's is lost.
    [placed, replaced] = [replaced, found === placed ? "" : found];
    input.value = placed;
  }
}
