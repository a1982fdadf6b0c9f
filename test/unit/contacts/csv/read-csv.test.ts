import t from 'tap';
import type { Card } from '../../../../src/contacts/card.ts';
import { type CsvContacts, readCsv } from '../../../../src/contacts/csv/read-csv.ts';

const read = (text: string | Uint8Array): CsvContacts => {
  const result = readCsv(typeof text === 'string' ? Buffer.from(text) : text);
  if (result.kind !== 'read') throw new Error(JSON.stringify(result));
  return result;
};
const cardsOf = (text: string | Uint8Array): Card[] => read(text).rows.map(({ card }) => card);
const emailsOf = (text: string | Uint8Array): string[] =>
  cardsOf(text).map(({ channels }) => channels.map(({ value }) => value).join(' '));
/** Given and family name. */
const namesOf = (text: string | Uint8Array): string[] =>
  cardsOf(text).map(({ givenName, familyName }) => `${givenName} ${familyName}`);

t.test('the columns of the interface', async (t) => {
  const { columnsUnderstood, rows, skipped } = read(
    [
      'email,first name,last name,name,company,title,phone,notes',
      'ann@x.example,Ann,Lee,,Acme,CEO,+41 44 668 18 00,Likes tea',
      ',No,Address',
      'nope,No,Address',
      'ANN@x.example,Ann,Again',
      '',
      'bob@x.example,,,Bob van Dyk,"Beta, ""Inc""",,,"two\nlines"',
      '"Carla Diaz" <carla@x.example>',
    ].join('\r\n'),
  );
  t.same(columnsUnderstood, ['email', 'first name', 'last name', 'name', 'company', 'title', 'phone', 'notes']);
  t.same(
    rows.map(({ row }) => row),
    [2, 7, 8],
  );
  t.match(rows[0]?.card, {
    givenName: 'Ann',
    familyName: 'Lee',
    companyName: 'Acme',
    jobTitle: 'CEO',
    notes: 'Likes tea',
  });
  t.same(rows[0]?.card.channels, [
    { kind: 'email', value: 'ann@x.example', label: null },
    { kind: 'phone', value: '+41 44 668 18 00', label: null },
  ]);
  t.match(rows[1]?.card, { givenName: 'Bob van', familyName: 'Dyk', companyName: 'Beta, "Inc"', notes: 'two\nlines' });
  t.match(rows[2]?.card, { givenName: 'Carla', familyName: 'Diaz' });
  t.same(skipped, [
    { row: 3, reason: 'no_email', shown: 'No, Address' },
    { row: 4, reason: 'invalid_email', shown: 'nope, No, Address' },
    { row: 5, reason: 'duplicate', shown: 'ANN@x.example, Ann, Again' },
  ]);
});

t.test('headers in the spellings of other services', async (t) => {
  const exports: Record<string, [header: string, row: string]> = {
    Google: [
      'First Name,Last Name,Nickname,Organization Name,Organization Title,Notes,E-mail 1 - Label,E-mail 1 - Value,Phone 1 - Label,Phone 1 - Value,Address 1 - Label,Address 1 - Street,Address 1 - City,Address 1 - Postal Code',
      'Ann,Lee,Annie,Acme,CEO,n,* Work,ann@x.example,Mobile,+41 79,Home,Main St 1,Bern,3000',
    ],
    Outlook: [
      'Title,First Name,Middle Name,Last Name,Nickname,Company,Job Title,Home Street,Home City,Home Postal Code,Mobile Phone,E-mail Address,Notes',
      'Mrs.,Ann,M,Lee,Annie,Acme,CEO,Main St 1,Bern,3000,+41 79,ann@x.example,n',
    ],
    HubSpot: [
      'Record ID,First Name,Last Name,Nickname,Email,Mobile Phone Number,Company Name,Job Title,Home Street Address,Home City,Home Postal Code,Comments',
      '1,Ann,Lee,Annie,ann@x.example,+41 79,Acme,CEO,Main St 1,Bern,3000,n',
    ],
    Salesforce: [
      'AccountName,FirstName,LastName,Nickname,Title,HomeStreet,HomeCity,HomePostalCode,MobilePhone,Email,Description',
      'Acme,Ann,Lee,Annie,CEO,Main St 1,Bern,3000,+41 79,ann@x.example,n',
    ],
    Mailchimp: [
      'Email Address,FNAME,LNAME,Nickname,Company,Job Title,Home Address,Home City,Home Zip,Cell,Notes,MEMBER_RATING',
      'ann@x.example,Ann,Lee,Annie,Acme,CEO,Main St 1,Bern,3000,+41 79,n,2',
    ],
    'German Outlook': [
      'Vorname;Nachname;Spitzname;Firma;Funktion;Straße privat;Ort privat;Postleitzahl privat;Mobiltelefon;E-Mail-Adresse;Notizen',
      'Ann;Lee;Annie;Acme;CEO;Main St 1;Bern;3000;+41 79;ann@x.example;n',
    ],
    French: [
      'Prénom;Nom;Surnom;Société;Fonction;Rue (home);Ville (home);Code postal (home);Portable;Courriel;Remarques',
      'Ann;Lee;Annie;Acme;CEO;Main St 1;Bern;3000;+41 79;ann@x.example;n',
    ],
  };
  for (const [name, lines] of Object.entries(exports)) {
    const [card] = cardsOf(lines.join('\n'));
    t.match(
      card,
      { givenName: 'Ann', familyName: 'Lee', preferredName: 'Annie', companyName: 'Acme', jobTitle: 'CEO', notes: 'n' },
      name,
    );
    t.match(card?.addresses, [{ street: 'Main St 1', locality: 'Bern', postalCode: '3000', label: 'home' }], name);
    t.same(
      card?.channels.map(({ value, label }) => [value, label]),
      [
        ['ann@x.example', name === 'Google' ? 'work' : null],
        ['+41 79', 'cell'],
      ],
      name,
    );
  }
});

t.test('several addresses of one contact', async (t) => {
  t.same(emailsOf('Name,Email\nAnn,"a@x.example\nb@x.example"'), ['a@x.example b@x.example'], 'lines of a cell');
  const thunderbird = 'Vorname,Primäre E-Mail-Adresse,Sekundäre E-Mail-Adresse\nAnn,a@x.example,b@x.example';
  t.same(emailsOf(thunderbird), ['a@x.example b@x.example']);
  t.same(emailsOf('Name,Email,Email 2\nAnn,a@x.example ::: b@x.example,c@x.example;bad;a@x.example'), [
    'a@x.example b@x.example c@x.example',
  ]);
  const [card] = cardsOf('email,business city,other city\na@x.example,Bern,Thun');
  t.same(
    card?.addresses.map(({ locality, label }) => [locality, label]),
    [
      ['Bern', 'work'],
      ['Thun', 'other'],
    ],
  );
});

t.test('lines of a street are one address, and faxes are numbers', async (t) => {
  const outlook = 'E-mail Address,Business Street,Business Street 2,Business City,Business Fax,Other Fax';
  const [card] = cardsOf(`${outlook}\na@x.example,Main St 1,Floor 2,Bern,+41 31,+41 32`);
  t.same(
    card?.addresses.map(({ street, locality, label }) => [street, locality, label]),
    [['Main St 1\nFloor 2', 'Bern', 'work']],
  );
  t.same(
    card?.channels.map(({ value, label }) => [value, label]),
    [
      ['a@x.example', null],
      ['+41 31', 'work fax'],
      ['+41 32', 'other fax'],
    ],
  );
  const [two] = cardsOf(
    'email,home street,home city,home street 2,home city 2\na@x.example,Main St 1,Bern,Side St 2,Thun',
  );
  t.same(
    two?.addresses.map(({ street, locality }) => [street, locality]),
    [
      ['Main St 1', 'Bern'],
      ['Side St 2', 'Thun'],
    ],
  );
});

t.test('headers of a German Outlook and of tables by hand', async (t) => {
  const [card] = cardsOf(
    'E-Mail-Adresse;Ort privat;Bundesland/Kanton privat;Land/Region privat;Weiteres Telefon\na@x.example;Bern;BE;Schweiz;+41 31',
  );
  t.match(card?.addresses, [{ locality: 'Bern', region: 'BE', country: 'Schweiz', label: 'home' }]);
  t.same(card?.channels[1], { kind: 'phone', value: '+41 31', label: 'other' });
  const [other] = cardsOf('Name;E-Mail (Arbeit);Telefon (Mobil);Telefon (Arbeit)\nAnn;a@x.example;+41 79;+41 31');
  t.same(
    other?.channels.map(({ value, label }) => [value, label]),
    [
      ['a@x.example', 'work'],
      ['+41 79', 'cell'],
      ['+41 31', 'work'],
    ],
  );
});

t.test('without a header, the first row with an address tells the columns', async (t) => {
  const plain = read('ann@x.example,Ann,Lee,Acme\nbob@x.example,Bob,Ray,Beta\n');
  t.same(plain.columnsUnderstood, ['email', 'first name', 'last name', 'company']);
  t.same(
    plain.rows.map(({ row }) => row),
    [1, 2],
  );
  const whole = 'Ann Lee;ann@x.example;+41 44 668 18 00;Acme\nBob Ray;bob@x.example;;Beta';
  t.same(read(whole).columnsUnderstood, ['name', 'email', 'phone', 'company']);
  t.same(namesOf(whole), ['Ann Lee', 'Bob Ray']);
});

t.test('one address a line', async (t) => {
  const list =
    'ann@x.example\n\nBob Ray <bob@x.example>,\nDoe, John <j@x.example>;\n"Roe, Jane" <jane@x.example>\nnobody\na@x.example; C <c@x.example>';
  const { columnsUnderstood, rows, skipped } = read(list);
  t.same(columnsUnderstood, ['email']);
  t.same(
    rows.map(({ row }) => row),
    [1, 3, 4, 5, 7, 7],
  );
  t.same(namesOf(list), ['null null', 'Bob Ray', 'John Doe', 'Jane Roe', 'null null', 'C null']);
  t.same(skipped, [{ row: 6, reason: 'invalid_email', shown: 'nobody' }]);
  t.same(emailsOf('Email\r\nann@x.example\r\nbob@x.example'), ['ann@x.example', 'bob@x.example']);
  t.same(emailsOf('a@x.example, b@x.example, Carl <c@x.example>'), ['a@x.example', 'b@x.example', 'c@x.example']);
});

t.test('a column of addresses is found where its header says nothing', async (t) => {
  const { columnsUnderstood, rows } = read('First Name,Contact data\nAnn,ann@x.example\nBob,bob@x.example');
  t.same(columnsUnderstood, ['email', 'first name']);
  t.equal(rows.length, 2);
});

t.test('delimiters, line ends and charsets', async (t) => {
  const lines = ['E-mail,Name,Notes', 'ann@x.example,Änn Lee,"a,;|\t"', 'bob@x.example,Bob,'];
  for (const delimiter of [',', ';', '\t', '|']) {
    for (const end of ['\n', '\r', '\r\n']) {
      const text = lines.map((line) => line.replaceAll(/,(?![;])/g, delimiter)).join(end);
      t.same(namesOf(text), ['Änn Lee', 'Bob null'], JSON.stringify([delimiter, end]));
    }
  }
  const text = lines.join('\r\n');
  t.same(namesOf(`\ufeff${text}`), ['Änn Lee', 'Bob null']);
  t.same(namesOf(`sep=,\r\n${text}`), ['Änn Lee', 'Bob null']);
  t.same(namesOf(Buffer.from(text, 'latin1')), ['Änn Lee', 'Bob null']);
  for (const mark of ['\ufeff', '']) {
    t.same(namesOf(Buffer.from(mark + text, 'utf16le')), ['Änn Lee', 'Bob null'], 'UTF-16 LE');
    t.same(namesOf(Buffer.from(mark + text, 'utf16le').swap16()), ['Änn Lee', 'Bob null'], 'UTF-16 BE');
  }
});

t.test('what no contact is in', async (t) => {
  for (const text of ['', '\n\n', 'email,name\n', ',,,\n , \n', '\ufeff']) {
    const { rows, skipped } = read(text);
    t.same([rows, skipped], [[], []], JSON.stringify(text));
  }
  t.same(read('alpha,beta\ngamma,delta').columnsUnderstood, []);
  t.same(read('alpha,beta\ngamma,delta').skipped.length, 2);
});

t.test('quotes where none belong, and rows of another length', async (t) => {
  t.same(namesOf('email,name,company\na@x.example,Ann "Annie" Lee\nb@x.example,Bob Ray,Beta,more,cells'), [
    'Ann "Annie" Lee',
    'Bob Ray',
  ]);
  t.same(readCsv(Buffer.from('email,name\na@x.example,"Ann\nb@x.example,Bob')), { kind: 'broken', row: 2 });
});

t.test('remarks before the header row', async (t) => {
  const header = 'First Name,Last Name,URL,Email Address,Company,Position,Connected On';
  const remark =
    'Notes:\n"When exporting your connection data, you may notice that some, ""few"", lack an address."\n\n';
  const { columnsUnderstood, rows, skipped } = read(
    `${remark}${header}\nAnn,Lee,https://l.example/ann,ann@x.example,Acme,CEO,01 Nov 2026\nBob,Ray,https://l.example/bob,,Beta,CTO,02 Nov 2026\n`,
  );
  t.same(columnsUnderstood, ['first name', 'last name', 'email', 'company', 'title']);
  t.match(rows, [{ row: 5, card: { givenName: 'Ann', familyName: 'Lee', companyName: 'Acme', jobTitle: 'CEO' } }]);
  t.same(skipped, [{ row: 6, reason: 'no_email', shown: 'Bob, Ray, https://l.example/bob, Beta, CTO, 02 Nov 2026' }]);
  const late = `${'Remark\n'.repeat(10)}${header}\nAnn,Lee,,ann@x.example\n`;
  t.equal(read(late).skipped.length, 11, 'the eleventh row is no header');
  t.same(
    read(`ann@x.example,Ann Lee\nEmail,Name\n`).skipped,
    [{ row: 2, reason: 'invalid_email', shown: 'Email, Name' }],
    'nor one after an address',
  );
  t.same(
    namesOf('Name,Kontakt\n,\nTitle,Company\nAnn Lee,ann@x.example'),
    ['Ann Lee'],
    'the first row that names several',
  );
});

t.test('how Outlook sends to an address is no label of it', async (t) => {
  const [card] = cardsOf(
    'First Name,E-mail Address,E-mail Type,E-mail 2 Address,E-mail 2 Type,E-mail 3 Address,E-mail 3 Type\n' +
      'Ann,ann@x.example,SMTP,lee@x.example,EX,al@x.example,Home',
  );
  t.same(
    card?.channels.map(({ label }) => label),
    [null, null, 'home'],
  );
});

t.test('exports in further languages', (t) => {
  const headers = {
    French: 'Prénom;Nom;Société;Titre du poste;Adresse de messagerie;Téléphone mobile',
    'German HubSpot': 'Vorname;Nachname;Name des Unternehmens;Jobtitel;E-Mail;Mobiltelefon',
    Spanish: 'Nombre;Apellidos;Organización;Puesto;Dirección de correo electrónico;Teléfono móvil',
    Italian: 'Nome;Cognome;Società;Posizione;Indirizzo posta elettronica;Cellulare',
    Portuguese: 'Nome;Sobrenome;Empresa;Cargo;Endereço de email;Telefone celular',
    Dutch: 'Voornaam;Achternaam;Bedrijf;Functie;E-mailadres;Mobiele telefoon',
    Polish: 'Imię;Nazwisko;Firma;Stanowisko;Adres e-mail;Telefon komórkowy',
    Swedish: 'Förnamn;Efternamn;Företag;Befattning;E-postadress;Mobiltelefon',
    Turkish: 'Ad;Soyadı;Şirket;İş Unvanı;E-posta Adresi;Cep Telefonu',
    Russian: 'Имя;Фамилия;Организация;Должность;Адрес электронной почты;Мобильный телефон',
    Chinese: '名;姓;单位;职务;电子邮件地址;移动电话',
    Korean: '이름;성;회사;직함;전자 메일 주소;휴대폰',
  };
  for (const [name, header] of Object.entries(headers)) {
    const [card] = cardsOf(`${header}\nAnn;Lee;Acme;CEO;ann@x.example;+41 79`);
    t.match(card, { givenName: 'Ann', familyName: 'Lee', companyName: 'Acme', jobTitle: 'CEO' }, name);
    t.match(card?.channels, [{ value: 'ann@x.example' }, { value: '+41 79', label: 'cell' }], name);
  }
  t.match(cardsOf('姓,名,会社名,メールアドレス\n山田,太郎,Acme,y@x.example'), [
    { givenName: '太郎', familyName: '山田' },
  ]);
  t.end();
});
