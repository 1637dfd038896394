/** `1,234,567` for 1234567. Without `Intl`, whose first use takes longer than all else that a short trace does. */
export function groupedDigits(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
}
