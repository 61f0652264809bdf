/// The PINs and passwords that people choose most often and attackers try first, from published counts of leaks.
///
/// In lower case. Digits that follow a pattern are left out: ``PINPatterns`` finds them.
enum CommonPINs {
  static let all: Set<String> = Set(
    """
    1004 1122 1123 1133 1144 1155 1166 1177 1188 1199 1221 1225 1230 1235 1236 1245 1256 1331 1342 1357 1379 1397 1441 \
    1478 1551 1590 1661 1771 1793 1881 1937 1945 1947 1950 1966 1967 1968 1969 1970 1971 1972 1973 1974 1975 1976 1977 \
    1978 1979 1980 1981 1982 1983 1984 1985 1986 1987 1988 1989 1990 1991 1992 1993 1994 1995 1996 1997 1998 1999 2000 \
    2001 2002 2003 2004 2005 2006 2007 2008 2009 2010 2011 2012 2013 2014 2015 2016 2017 2018 2019 2021 2022 2023 2024 \
    2025 2026 2112 2211 2233 2244 2255 2277 2288 2299 2332 2456 2468 2552 2580 2590 2662 2772 2882 3141 3344 3366 3690 \
    3698 4200 4466 4477 4488 4499 4554 4711 5150 5566 5577 5588 5599 5683 6677 6688 6699 7410 7531 7532 7711 7788 7799 \
    7896 7931 8008 8246 8520 8642 8800 8855 8899 9510 9630 9632 9731 9988 0007 0070 0420 0711 0852 1000 1200 1224 1226 \
    1231 1233 1412 0911 \
    11223 12321 12344 13579 24680 11235 14789 15975 25800 31415 10101 20000 10000 \
    102030 111000 111112 111222 112211 112233 113355 114477 115599 121221 122333 123098 123321 123451 123465 123654 \
    123789 123987 124578 125634 131415 134679 135246 135790 135791 142536 145236 147258 147369 147852 147896 147963 \
    159263 159357 159753 159951 170845 198010 200000 222333 223344 246810 246824 258000 258369 258456 258852 292513 \
    314159 321654 332211 334455 336699 357159 369258 369852 445566 456123 456321 456654 456852 456987 471100 520131 \
    552255 556677 654123 665544 666999 667788 741258 741852 741963 753159 753951 777888 778899 789123 789456 789654 \
    789987 852258 852456 852963 853211 888999 951753 951357 963258 963852 963741 987321 987456 998877 999888 990099 \
    100000 000001 000007 000111 001122 010203 011235 100200 110000 101112 111213 121314 123000 123012 123412 123457 \
    123459 123467 199999 600000 \
    1029384 1112222 1122334 1234321 1234560 1234568 1357911 1470258 1472583 1593570 2468101 7777778 8675309 1122333 \
    1231234 1236987 1478963 3216549 \
    10203040 11112222 11223344 11235813 12344321 12345670 12345679 12348765 12369874 13243546 13572468 13579246 \
    14142135 14725836 14789632 15975346 18273645 22446688 24681012 24681357 31415926 36925814 43211234 55667788 \
    75395182 78945612 88888889 99887766 00112233 01020304 01478520 12312312 14785236 15935746 \
    1029384756 1122334455 1234554321 147258369 159357456 741852963 789456123 963852741 123454321 123456780 123456123 \
    123321123 112233445566 123123456 135792468 147852369 1357924680 3141592653 \
    password passw0rd p@ssword p@ssw0rd pa55word pa55w0rd password1 password12 password123 password! passwort passwort1 \
    passwords motdepasse contrasena wachtwoord senha haslo parola lozinka geheim geheim1 hallo123 schatz \
    qwerty qwerty1 qwerty12 qwerty123 qwertyui qwertyuiop qwertz qwertzui qwertzuiop azerty azerty123 azertyuiop \
    qwer1234 qweasd qweasdzxc qweqwe qazwsx qazwsxedc 1q2w3e 1q2w3e4r 1q2w3e4r5t 1qaz2wsx 1qazxsw2 q1w2e3 q1w2e3r4 \
    zxcvbn zxcvbnm asdf asdf1234 asdfgh asdfghj asdfghjk asdfghjkl asdasd asd123 zaq12wsx zaq1zaq1 zxcv1234 poiuyt \
    lkjhgf mnbvcxz yxcvbnm qwert asdfg zxcvb 123qwe 123asd 12qwaszx 1234qwer 123qweasd qwe123 qwe1234 \
    abc123 abc1234 abcd1234 abcdef1 a1b2c3 a1b2c3d4 aa123456 a123456 a12345 a1234567 a12345678 a123456789 123456a \
    1234567a 12345678a 123456789a 123abc 1234abcd 123456q 12345q 12345a abc12345 abc123456 123456abc test test1 test12 \
    test123 test1234 testtest testing tester temp temp123 guest guest123 admin admin1 admin12 admin123 admin1234 \
    administrator root root123 rootroot toor user user123 login login123 default changeme change letmein letmein1 \
    welcome welcome1 welcome123 willkommen bienvenue secret secret1 secret123 pass pass1 pass12 pass123 pass1234 \
    passcode mypass access access14 master master1 monkey monkey1 dragon dragon1 shadow sunshine princess iloveyou \
    iloveyou1 iloveu loveme lovely lover love love123 football football1 baseball basketball soccer hockey superman \
    batman spiderman starwars pokemon naruto minecraft mustang ferrari porsche mercedes corvette harley yankees \
    liverpool chelsea arsenal barcelona juventus bayern michael michelle jessica jennifer jordan jordan23 ashley \
    amanda andrew anthony charlie daniel david george hunter joshua matthew nicole robert thomas william maggie \
    buster ginger pepper cookie cheese banana orange flower summer winter spring autumn freedom whatever trustno1 \
    hello hello1 hello123 hallo hola bonjour ciao killer ninja computer internet samsung google facebook apple \
    android iphone nokia blink182 slipknot metallica nirvana matrix phoenix tigger pokemon1 snoopy purple silver \
    golden diamond angel angels jesus jesus1 christ heaven family friends mother father baby babygirl sweet honey \
    chocolate butterfly lovers forever \
    unknown nothing something anything donald987 solo starwars1 merlin thunder cowboy eagles steelers rangers \
    sealring pingid forgerock pingidentity openam device mypin mypin1 newpin pin1 pin123 pin1234 pincode mypincode
    """
    .split(whereSeparator: { $0 == " " || $0 == "\n" }).map(String.init))
}
