/** Far past what a config may nest, so that brackets in texts and comments do not matter. */
const hopeless = 1_000;

/** Where brackets are opened so deep that parsing them, which takes the square of the depth, is not worth the minute. */
export function hopelessDepth(text: string): number | undefined {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth = Math.max(0, depth - 1);
    if (depth > hopeless) return at;
  }
  return undefined;
}
