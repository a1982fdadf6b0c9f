/** Output fields that a tool's answer has only where its caller asks for `detail`. */

import { z } from 'zod';

export interface DetailField {
  /** Stands in the field's place without `detail`; undefined leaves the field out. `record`: the field's own. */
  brief: ((value: unknown, record: Readonly<Record<string, unknown>>) => unknown) | null;
}

export const detailFields: z.core.$ZodRegistry<DetailField> = z.registry<DetailField>();

/** Leaves a field out of tools' answers, or gives it in brief, unless they are asked for `detail`. */
export const onDetail = <S extends z.ZodType>(
  schema: S,
  brief?: (value: z.output<S>, record: Readonly<Record<string, unknown>>) => unknown,
): S => {
  detailFields.add(schema, { brief: (brief as DetailField['brief']) ?? null });
  return schema;
};
