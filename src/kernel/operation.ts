/**
 * An operation, written once. Its contract derives the REST route, the OpenAPI document, the typed client and the tool;
 * dispatch (access/dispatch.ts) runs its handler.
 */

import { z } from 'zod';
import type { Audience, Scope } from './caller.ts';
import type { ErrorCode } from './errors.ts';
import type { WorkspaceId } from './ids.ts';
import type { Annotations } from './tools/tool-annotations.ts';

/** Audience of operations that agents call in their workspace, and persons in a workspace that they name. */
export const EVERYONE = ['agent', 'owner', 'operator'] as const;
/** The same without the operator. */
export const AGENT_AND_OWNER = ['agent', 'owner'] as const;
/** Audience of operations for persons. An operation on the whole instance is the operator's alone. */
const PERSONS = ['owner', 'operator'] as const;
export const OPERATOR = ['operator'] as const;
/** Audience of operations for the console alone: the command line has another way, or no use for them. */
export const OWNER = ['owner'] as const;
/** Audience of signing in, and of a person's own sessions and passkeys. */
export const SESSION = ['session'] as const;
export const ANONYMOUS = ['anonymous'] as const;

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** An act in the activity log: `noun.verb`, as `key.revoke`. */
export type ActivityAction = `${string}.${string}`;

/** Further facts of an act, shown with it. Never a secret, a key, or a mail's text. */
export type ActivityDetail = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

/** An act as its operation states it; dispatch adds who did it and by what. */
export interface Act {
  /** Null: of the instance itself. */
  workspaceId: WorkspaceId | null;
  /** The name of the changed thing: a handle, an address, a slug. */
  subject: string;
  detail?: ActivityDetail;
}

/** A reply of bytes; or, where the caller asked for it, their content as JSON. */
export interface BytesReply {
  contentType: string;
  filename: string;
  content: Uint8Array;
  inWords?: Record<string, unknown>;
}

/** A reply in another media type than JSON. Its text is made while it is sent, no faster than the client reads. */
export class StreamReply {
  readonly mediaType: string;
  readonly filename: string;
  readonly chunks: AsyncIterable<string | Uint8Array>;

  constructor(mediaType: string, filename: string, chunks: AsyncIterable<string | Uint8Array>) {
    this.mediaType = mediaType;
    this.filename = filename;
    this.chunks = chunks;
  }
}

/** Stands as the output of an operation that answers with {@link BytesReply}. */
export const bytesReply = z.custom<BytesReply>();

/** A person's input and output, where they differ from an agent's. */
export interface PersonSide {
  input?: z.ZodType;
  output?: z.ZodType;
}

/**
 * Whether a person's input has a `workspace` as well, which dispatch resolves. `optional`: the operator may leave it out,
 * and the handler finds it, or works in all workspaces.
 */
export type TakesWorkspace = 'required' | 'optional';

/** What can be called, over any transport. */
export interface Operation<
  Input extends z.ZodType = z.ZodType,
  Output extends z.ZodType = z.ZodType,
  A extends Audience = Audience,
  R extends ActivityAction | null = ActivityAction | null,
> {
  /** Also the tool's name: verb_noun. */
  name: string;
  /** The kinds of callers that dispatch lets through; all others are refused. */
  audience: readonly A[];
  /** The scopes that an agent's key needs, all of them. Null: any key will do. */
  scope: Scope | readonly Scope[] | null;
  /**
   * Set where the operation changes things without a maker (access/made-by.ts): callers of the reach `own` are
   * refused.
   */
  reach?: 'workspace';
  summary: string;
  /** All it takes, in one object. */
  input: Input;
  output: Output;
  persons?: PersonSide;
  /** Left out: `required` where agents call it as well, else none. */
  workspace?: TakesWorkspace | undefined;
  /** Replaces the output in the OpenAPI document: the replies that a client gets unless it asks for another. */
  described?: z.ZodType;
  /** The schema of a {@link BytesReply}'s content as JSON. */
  inWords?: z.ZodType;
  /** The statuses of its answers; 200 where left out. */
  statuses?: readonly number[];
  /** Picks the status of an output; the first of `statuses` where left out. */
  statusOf?(output: z.infer<Output>): number;
  /** Whether it takes an Idempotency-Key. Its handler keeps its reply by {@link Call.recordAnswer}. */
  idempotent?: boolean;
  /**
   * The act that the activity log records for each call that changes something ({@link RecordingCall.record}); null:
   * none.
   */
  activity: R;
  tool?: Annotations;
}

/** An operation with a REST route: an agent's, or one that needs no authentication. */
export interface RoutedOperation<
  Input extends z.ZodType = z.ZodType,
  Output extends z.ZodType = z.ZodType,
  R extends ActivityAction | null = ActivityAction | null,
  A extends Audience = Audience,
> extends Operation<Input, Output, A, R> {
  method: Method;
  /** As in `/v1/messages/{id}`: a name in braces is taken from the path into the input. */
  path: string;
  /** Its own error codes, beside those of its fields and those that any operation may answer with. */
  errors: readonly ErrorCode[];
  /**
   * What the path does not name comes from the query (GET, DELETE) or from the JSON body (POST, PATCH), save what
   * {@link query} lists.
   */
  input: Input;
  /** Fields that come from the query although there is a body. */
  query?: readonly string[];
  /** Takes a JSON body although DELETE mostly has none (RFC 9110 section 9.3.5). */
  body?: true;
  /** A body of this media type is taken beside JSON: its octets are one field; the fields listed come from the query. */
  rawBody?: { mediaType: string; field: string; query: readonly string[] };
  /** A body that is accepted, where the required fields alone make none, or say little. */
  example?: Readonly<Record<string, unknown>>;
  /** A body of this media type is taken as one field of the JSON body. */
  embeds?: { mediaType: string; field: string };
  /** Media types beside JSON that it answers with, as a {@link StreamReply}, where the request accepts them. */
  streams?: readonly string[] | undefined;
  /** Bytes of body it takes; {@link DEFAULT_BODY_LIMIT} where left out. */
  bodyLimit?: number;
}

/** Larger than the text fields of any operation; sends, which carry attachments, state their own limit. */
export const DEFAULT_BODY_LIMIT = 1024 * 1024;

/** The scopes that an operation needs, as a list. */
export const scopesOf = ({ scope }: Pick<Operation, 'scope'>): readonly Scope[] => {
  if (scope === null) return [];
  return typeof scope === 'string' ? [scope] : scope;
};

export const hasBody = ({ method, body }: Pick<RoutedOperation, 'method' | 'body'>): boolean =>
  method === 'POST' || method === 'PATCH' || body === true;

export const isRouted = (operation: Operation): operation is RoutedOperation => 'path' in operation;

/**
 * A definition as the helpers below take it. Left out, the audience is agents, and `activity` is null: the operation
 * changes no rights and opens no secret.
 */
type Defined<O extends Operation, A extends Audience, R, P, W> = Omit<
  Stated<O>,
  'audience' | 'activity' | 'scope' | 'persons' | 'workspace'
> & {
  audience?: readonly A[];
  activity?: R;
  persons?: P;
  workspace?: W;
};

const NO_FIELDS = z.strictObject({});
type NoFields = typeof NO_FIELDS;

/** Without input, an operation takes no fields; without errors, it answers with none of its own. */
type Stated<O extends Operation> = Omit<O, 'input' | 'errors' | 'method' | 'path'> &
  Partial<Pick<O, 'input' | ('errors' & keyof O)>>;

const UNSTATED = { name: '', summary: '', audience: ['agent'], activity: null, errors: [], input: NO_FIELDS };

type Route = `${Method} /${string}`;

const splitRoute = (route: Route) => {
  const [method, path] = route.split(' ');
  return { method, path };
};

/** An operation with a REST route. One that needs no authentication has no scope and the audience `anonymous`. */
export const operation = <
  Output extends z.ZodType,
  Input extends z.ZodType = NoFields,
  const R extends ActivityAction | null = null,
  const A extends Audience = 'agent',
  P extends PersonSide = Record<never, never>,
  const W extends TakesWorkspace | undefined = undefined,
  const S extends readonly string[] | undefined = undefined,
>({
  route,
  ...definition
}: Omit<Defined<RoutedOperation<Input, Output, R, A>, A, R, P, W>, 'streams'> & {
  route: Route;
  scope: Scope | readonly Scope[];
  streams?: S;
}) =>
  ({ ...UNSTATED, ...splitRoute(route), ...definition }) as unknown as RoutedOperation<Input, Output, R, A> & {
    persons: P;
    workspace: W;
    streams: S;
  };

export const isPublic = ({ audience }: Operation): boolean => audience.includes('anonymous');

/** An agent's operation that is offered as a tool alone. */
export const toolOnly = <
  Output extends z.ZodType,
  Input extends z.ZodType = NoFields,
  const R extends ActivityAction | null = null,
  const A extends Audience = 'agent',
  P extends PersonSide = Record<never, never>,
>(
  definition: Defined<Operation<Input, Output, A, R>, A, R, P, undefined> & { scope: Scope | readonly Scope[] | null },
) => ({ ...UNSTATED, ...definition }) as unknown as Operation<Input, Output, A, R> & { persons: P };

/** No document shows one: it has no summary, and resources/contracts.ts names it by its resource. */
type OfPersons = 'audience' | 'input' | 'output' | 'activity' | 'workspace';

/** An operation of persons, which no API key can call. Left out, the audience is owners and the operator. */
export const personOperation = <
  Output extends z.ZodType,
  const R extends ActivityAction | null = null,
  Input extends z.ZodType = NoFields,
  A extends Exclude<Audience, 'agent'> = (typeof PERSONS)[number],
  const W extends TakesWorkspace | undefined = undefined,
>(
  definition: Pick<Defined<Operation<Input, Output, A, R>, A, R, never, W>, OfPersons>,
) =>
  ({ ...UNSTATED, scope: null, audience: PERSONS, ...definition }) as unknown as Operation<Input, Output, A, R> & {
    workspace: W;
  };

/** A resource's operations, by the name of the handler that serves each. */
export type Contract = Record<string, Operation>;

/** Whether a person's call names a workspace. */
export const takesWorkspace = ({ workspace, audience }: Operation): TakesWorkspace | null =>
  workspace ?? (audience.includes('agent') ? 'required' : null);

export type WorkspaceOf<O extends Operation> = O extends { workspace: TakesWorkspace }
  ? O['workspace']
  : 'agent' extends O['audience'][number]
    ? 'required'
    : null;

/** A person's input, as the contract has it; below, a person's output. */
export type PersonInput<O extends Operation> = O extends { persons: { input: infer I extends z.ZodType } }
  ? I
  : O['input'];
export type PersonOutput<O extends Operation> = O extends { persons: { output: infer Out extends z.ZodType } }
  ? Out
  : O['output'];
/** A person's input as given, with the workspace where the operation takes one. */
export type PersonGives<O extends Operation> =
  WorkspaceOf<O> extends null ? z.input<PersonInput<O>> : WithWorkspace<z.input<PersonInput<O>>>;
/** An input without fields refuses every name. */
type WithWorkspace<Given> = (string extends keyof Given ? unknown : Given) & { workspace?: string | undefined };

export interface FieldCodes {
  /** The error where the field is not given. */
  missing?: ErrorCode;
  /** The error where it is null; in other optional fields null means that the field is left out. */
  null?: ErrorCode;
  /** The error where it is text without a word. */
  empty?: ErrorCode;
  /** The error where its value is not of its form. */
  invalid?: ErrorCode;
}

/** Fields with refusal codes of their own in the interface; all others are `invalid_request`. */
export const fieldCodes: z.core.$ZodRegistry<FieldCodes> = z.registry<FieldCodes>();

/** Gives a field its own codes: `field({ missing: 'body_required' }, z.string())`. */
export const field = <S extends z.ZodType>(codes: FieldCodes, schema: S): S => {
  fieldCodes.add(schema, codes);
  return schema;
};
