/** Lets so many in at once, in order of arrival. */
export interface Turns {
  /** False: no more are let in. What was let in must `leave`. */
  enter(): Promise<boolean> | boolean;
  leave(): void;
  /** As many wait already as may be inside. */
  isLate(): boolean;
}

export function createTurns(most: number, closed: () => boolean): Turns {
  const waiting: ((granted: boolean) => void)[] = [];
  let next = 0;
  let inside = 0;
  return {
    enter: () => {
      if (closed()) return false;
      if (inside >= most) return new Promise((resolve) => void waiting.push(resolve));
      inside += 1;
      return true;
    },
    isLate: () => waiting.length - next >= most,
    leave: () => {
      inside -= 1;
      for (; next < waiting.length && (inside < most || closed()); next++) {
        const granted = !closed();
        if (granted) inside += 1;
        waiting[next]?.(granted);
      }
    },
  };
}
