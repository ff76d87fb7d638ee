-- What the sandbox's tenants keep. Development and tests only. Statements are separated by an empty line.

INSERT INTO documents (tenant, document_id, title, text) VALUES
  ('sandbox', 'tea-brewing', 'How to brew tea', 'Green tea is brewed at 70 to 80 degrees for two minutes, black tea at 95 degrees for four. Water that is too hot makes green tea bitter. Warm the pot first, and do not leave the leaves in.'),
  ('sandbox', 'tea-storage', 'Keeping tea fresh', 'Tea loses its scent to light, air, damp and strong smells. Keep the leaves in a tin that closes well, away from coffee and spices. Green tea keeps for a year, black tea for two.'),
  ('sandbox', 'tea-ceremony', 'The tea ceremony, step by step', 'The host cleans the bowl, the whisk and the scoop in front of the guests, whisks the powdered tea with hot water, and turns the bowl before it is offered. The guest turns it back.'),
  ('sandbox', 'salt-kinds', 'Kinds of salt', 'Sea salt is evaporated from sea water, rock salt is mined, and table salt is either of them, refined and ground. They taste alike in soup and differ on the tongue.'),
  ('sandbox', 'salt-trade', 'The salt trade', 'Salt was carried over the Alps by mule and down the Elbe by barge. Towns with a salt spring grew rich on the toll.'),
  ('sandbox', 'rice-cooking', 'Cooking rice', 'Rinse the rice until the water is clear, then cook one part of rice in one and a half parts of water with a pinch of salt. Let it rest for ten minutes.'),
  ('sandbox', 'rice-varieties', 'Varieties of rice', 'Basmati and jasmine are long and fragrant, arborio is round and creamy, sushi rice is short and sticky.'),
  ('sandbox', 'returns-policy', 'Returns and refunds', 'Goods may be returned within 30 days. The refund goes to the card that was charged and takes up to five working days. Opened food cannot be returned.'),
  ('sandbox', 'shipping-policy', 'Shipping times and costs', 'Orders over 50 EUR are shipped free of charge. Delivery takes two working days within Germany and five elsewhere in Europe.'),
  ('sandbox', 'security-handbook', 'Security handbook', 'Passwords are kept in the password manager. Report a lost laptop within an hour. Nobody from the help desk ever asks for a password.'),
  ('sandbox', 'onboarding', 'Onboarding checklist', 'On the first day new colleagues get a laptop, a badge and a walk through the office; in the first week, a session about security and one about the data that we keep.'),
  ('sandbox', 'cafe-menu', 'Menu of the café', 'Crème brûlée, naïve art on the walls, and jalapeño cornbread. The café closes at six.'),
  ('other', 'tea-brewing', 'Tea at the other company', 'The other company drinks its tea cold. Nobody else may read this.'),
  ('other', 'merger-plan', 'Merger plan', 'Confidential: the other company plans to buy the salt works in spring.'),
  ('sandbox-admin', 'tea-brewing', 'Tea for administrators', 'Administrators brew their tea in a beaker.'),
  ('sandbox-admin', 'runbook', 'Runbook', 'Restart the worker, then look at the jobs.');

INSERT INTO contacts (tenant, contact_id, email, name, company) VALUES
  ('sandbox', 'c_sandbox_1', 'ada@example.com', 'Ada Lovelace', 'Analytical Engines'),
  ('sandbox', 'c_sandbox_2', 'grace@example.com', 'Grace Hopper', 'Navy'),
  ('sandbox', 'c_sandbox_3', 'linus@example.org', 'Linus Example', NULL),
  ('other', 'c_other_1', 'ada@example.com', 'Ada Other', 'Other Company'),
  ('sandbox-admin', 'c_sandbox-admin_1', 'root@example.com', 'Root Admin', NULL);

INSERT INTO orders (tenant, order_id, customer, status, ordered_at, total_cents, currency) VALUES
  ('sandbox', 'o-1001', 'Acme GmbH', 'delivered', '2026-08-03T09:12:00Z', 129900, 'EUR'),
  ('sandbox', 'o-1002', 'Blue Bottle', 'delivered', '2026-08-17T14:40:00Z', 4550, 'EUR'),
  ('sandbox', 'o-1003', 'Acme GmbH', 'refunded', '2026-08-30T23:59:59Z', 19900, 'EUR'),
  ('sandbox', 'o-1004', 'Corner Store', 'delivered', '2026-09-01T00:00:00Z', 8000, 'USD'),
  ('sandbox', 'o-1005', 'Acme GmbH', 'shipped', '2026-09-14T11:05:00Z', 64950, 'EUR'),
  ('sandbox', 'o-1006', 'Delta Foods', 'cancelled', '2026-09-20T08:30:00Z', 99900, 'EUR'),
  ('sandbox', 'o-1007', 'Corner Store', 'paid', '2026-10-02T16:20:00Z', 12500, 'USD'),
  ('sandbox', 'o-1008', 'Blue Bottle', 'paid', '2026-10-11T10:00:00Z', 7325, 'EUR'),
  ('sandbox', 'o-1009', 'Acme GmbH', 'pending', '2026-10-31T23:30:00Z', 250000, 'EUR'),
  ('sandbox', 'o-1010', '=HYPERLINK("https://evil.example","Pay")', 'pending', '2026-11-02T12:00:00Z', 100, 'EUR'),
  ('sandbox', 'o-1011', 'Müller, Söhne & "Partner"', 'paid', '2026-11-05T07:45:00Z', 33333, 'EUR'),
  ('sandbox', 'o-1012', 'Delta Foods', 'shipped', '2026-11-09T18:15:00Z', 45000, 'EUR'),
  ('other', 'o-1001', 'Other Customer', 'paid', '2026-09-09T09:09:09Z', 777777, 'EUR'),
  ('sandbox-admin', 'o-1001', 'Admin Customer', 'paid', '2026-09-09T09:09:09Z', 1234, 'EUR');
