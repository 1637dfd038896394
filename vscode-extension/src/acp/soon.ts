/** What `promise` resolves with if it does within a moment. */
export async function soon<T>(promise: Promise<T>, ms = 500): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(resolve, ms, undefined)));
  const value = await Promise.race([promise, late]);
  clearTimeout(timer);
  return value;
}
