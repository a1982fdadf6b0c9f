/** The functions of a thread, each for one kind of task. */
export type Performing<W> = {
  [K in keyof W]: W[K] extends (of: infer Input) => infer Result ? (of: Input) => Result | Promise<Result> : never;
};
