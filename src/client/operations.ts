/**
 * The operations that the client calls, with their types, by the contracts. The package has in this file's place what
 * scripts/clients/ makes of the OpenAPI document, so that it needs neither the daemon nor zod.
 */

import type { z } from 'zod';
import type { EventData as DataOfEvents, SentEventName } from '../kernel/events.ts';
import {
  bytesReply,
  type Contract,
  hasBody,
  isRouted,
  type Operation,
  type RoutedOperation,
} from '../kernel/operation.ts';
import { agentContracts } from '../resources/agent-contracts.ts';
import { publicContracts } from '../resources/public-contracts.ts';
import type { Route } from './call.ts';

/** Of the events that a stream and an endpoint hear. */
export type EventData = Pick<DataOfEvents, SentEventName>;

type TypesOf<O extends Operation> = { input: z.input<O['input']>; output: z.output<O['output']> };

type TypesOfContract<C extends Contract> = {
  [K in keyof C as C[K] extends RoutedOperation ? K : never]: TypesOf<C[K]>;
};

/** What each operation takes and answers, by resource and name; resources that are tools alone are left out. */
export type Operations = {
  [N in keyof typeof agentContracts as keyof TypesOfContract<(typeof agentContracts)[N]> extends never
    ? never
    : N]: TypesOfContract<(typeof agentContracts)[N]>;
};

export type SignUp = TypesOf<typeof publicContracts.signup.signUp>;

const toRoute = (operation: RoutedOperation): Route => ({
  method: operation.method,
  path: operation.path,
  query: operation.query ?? [],
  hasBody: hasBody(operation),
  isIdempotent: operation.idempotent === true,
  isBytes: operation.output === bytesReply,
});

const toRoutes = (contract: Contract): Record<string, Route> =>
  Object.fromEntries(
    Object.entries(contract).flatMap(([name, each]) => (isRouted(each) ? [[name, toRoute(each)]] : [])),
  );

export const routes: Readonly<Record<string, Readonly<Record<string, Route>>>> = Object.fromEntries(
  Object.entries(agentContracts).map(([name, contract]) => [name, toRoutes(contract)]),
);

export const signUpRoute: Route = toRoute(publicContracts.signup.signUp);
