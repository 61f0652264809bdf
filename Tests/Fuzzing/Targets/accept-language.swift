extension FuzzTarget {
  static let acceptLanguage = FuzzTarget(text: { text in
    let languages = AcceptedLanguages.parse(text)
    expect(languages.count <= 20, "there are too many languages")
    for language in languages {
      expect((1...35).contains(language.utf8.count), "a language tag is too long")
      expect(AcceptedLanguages.parse(language) == [language], "a language tag is none")
      expect(text.contains(language), "a language is made up")
    }
  })
}
