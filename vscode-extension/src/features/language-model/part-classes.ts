/** A constructor whose instances are recognised, and which makes them of these arguments. */
type PartClass<Args extends unknown[]> = new (...args: Args) => object;

/**
 * The classes of the editor's message parts. Some are not in every version of the editor: those of them that we have
 * are used.
 */
export interface PartClasses {
  readonly text: PartClass<[value: string]>;
  readonly toolCall: PartClass<[callId: string, name: string, input: object]>;
  readonly data?: PartClass<[data: Uint8Array, mimeType: string]>;
  readonly thinking?: PartClass<[value: string, id?: string, metadata?: Readonly<Record<string, unknown>>]>;
}
