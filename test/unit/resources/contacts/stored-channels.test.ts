import t from 'tap';
import { checkedChannels, storedChannels } from '../../../../src/resources/contacts/stored-channels.ts';

const email = (value: string) => ({ kind: 'email' as const, value, label: null });
const phone = (value: string, label: string | null = null) => ({ kind: 'phone' as const, value, label });

t.test('channels are compared by what they reach', (t) => {
  t.same(storedChannels([email('A@B.test'), email('a@b.test'), phone('+49 30 123456'), phone('0049-30-123456', 'x')]), [
    { ...email('A@B.test'), key: 'a@b.test' },
    { ...phone('+49 30 123456'), key: '+4930123456' },
  ]);
  t.same(storedChannels([phone('030 / 12-34'), phone('030 1234')]), [{ ...phone('030 / 12-34'), key: '0301234' }]);
  t.same(storedChannels([email('nonsense'), phone('none')]), [], 'an import leaves out what is none');
  t.end();
});

t.test('a caller is told which one is none', (t) => {
  t.throws(() => checkedChannels([email('a@b.test'), email('x')]), {
    code: 'invalid_email',
    hint: '`channels.1.value`, not "x": Give an e-mail address without a name, as `a@example.com`.',
    fault: { field: 'channels.1.value', rule: 'form', given: 'x' },
  });
  t.throws(() => checkedChannels([phone('x')]), { code: 'invalid_request', hint: /digit/ });
  t.end();
});
