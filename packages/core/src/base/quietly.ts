/** For `abort(quietly)` where nobody reads the reason: without one, an exception with a stack trace is made every time. */
export const quietly = 'it is over';
