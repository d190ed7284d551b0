/** One at a time, in order of arrival. Entering a free gate takes no turn of the event loop. */
export interface Gate {
  enter(): Promise<void> | undefined;
  /** Lets the next one in. */
  leave(): void;
}

export function createGate(): Gate {
  const waiting: (() => void)[] = [];
  let taken = false;
  return {
    enter: () => {
      if (taken) return new Promise((resolve) => void waiting.push(resolve));
      taken = true;
      return undefined;
    },
    leave: () => {
      const next = waiting.shift();
      if (next) next();
      else taken = false;
    },
  };
}
