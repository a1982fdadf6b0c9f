import t from 'tap';
import { ThreadError, UnwritableError } from '../../../../src/store/store-errors.ts';
import { isFault, toApiError } from '../../../../src/transports/http/error-reply.ts';

t.test('what the machine lacks for now is told to the client as overload, and logged', (t) => {
  for (const error of [new ThreadError('Out of memory'), new UnwritableError('The disk is full')]) {
    const refusal = toApiError(error);
    t.match(refusal, { status: 503, code: 'overloaded', headers: { 'retry-after': /^\d+$/ } });
    t.ok(isFault(refusal));
  }
  t.end();
});
