"""A small office's papers in English and Russian, and what people ask about them, mostly in other words."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Paper:
    """A topic: its text in one or both languages ("" for none) and questions whose answer stands in it."""

    name: str
    en: str
    ru: str
    questions: tuple[str, ...]


PAPERS = (
    Paper("leave", "Every employee is entitled to 28 calendar days of paid leave a year. Requests go to the line manager at least two weeks ahead. Days that are not taken by the end of March of the following year expire.",
          "Каждому сотруднику полагается 28 календарных дней оплачиваемого отпуска в год. Заявление подаётся руководителю не позднее чем за две недели. Дни, не использованные до конца марта следующего года, сгорают.",
          ("how much holiday do I get", "when must I ask my boss for vacation", "сколько дней можно отдыхать за год", "отпускные дни сгорают когда")),
    Paper("vpn", "To reach the internal network from home, install the WireGuard client and import the profile that the service desk sends you. The profile LX-7731 is valid for ninety days and is renewed on request.",
          "Чтобы попасть во внутреннюю сеть из дома, установите клиент WireGuard и загрузите профиль, который пришлёт служба поддержки. Профиль LX-7731 действует девяносто дней и продлевается по заявке.",
          ("connecting to office systems remotely", "LX-7731", "как подключиться к рабочей сети удалённо", "профиля WireGuard")),
    Paper("expenses", "Money spent on business trips is paid back within ten working days. Keep the original receipts: without them nothing above 30 euros can be reimbursed. Use form E-14.",
          "Деньги, потраченные в командировке, возвращаются в течение десяти рабочих дней. Сохраняйте оригиналы чеков: без них нельзя возместить больше 30 евро. Используйте форму E-14.",
          ("getting refunded for travel costs", "form E-14", "компенсация расходов на поездку", "нужны ли квитанции")),
    Paper("printer", "If the printer on the second floor shows a paper jam, open the rear door, pull the sheet out slowly and close it until it clicks. Toner is kept in cabinet 4.",
          "Если принтер на втором этаже сообщает о застревании бумаги, откройте заднюю дверцу, медленно вытяните лист и закройте до щелчка. Тонер лежит в шкафу 4.",
          ("the copier is stuck, what to do", "where do we store cartridges", "зажевало лист в печатающем устройстве", "где взять картридж")),
    Paper("parking", "Cars may be left in the yard behind the building from seven in the morning until nine in the evening. A sticker with the number plate has to lie behind the windscreen. Visitors use the spaces near the gate.",
          "Машины можно оставлять во дворе за зданием с семи утра до девяти вечера. За лобовым стеклом должна лежать карточка с номером автомобиля. Гости занимают места у ворот.",
          ("where can I leave my vehicle", "guests arriving by car", "куда поставить автомобиль", "стоянка для посетителей")),
    Paper("backup", "A full copy of the database is made every night at two and kept for thirty days in another city. Restoring it takes about forty minutes and is rehearsed each quarter.",
          "Полная копия базы данных создаётся каждую ночь в два часа и хранится тридцать дней в другом городе. Восстановление занимает около сорока минут, его репетируют каждый квартал.",
          ("what if we lose all data", "how long does recovery take", "что делать при потере информации", "как часто делаются резервные копии")),
    Paper("fire", "When the alarm sounds, leave by the nearest staircase and do not use the lifts. Everybody gathers at the fountain, where the floor wardens count heads.",
          "При сигнале тревоги выходите по ближайшей лестнице и не пользуйтесь лифтами. Все собираются у фонтана, где ответственные по этажам пересчитывают людей.",
          ("evacuation of the building", "meeting point in an emergency", "эвакуация при пожаре", "где место сбора")),
    Paper("canteen", "Lunch is served between noon and half past two. On Fridays there is fish; a vegetarian dish is offered every day. Pay by badge, cash is not accepted.",
          "Обед подают с двенадцати до половины третьего. По пятницам рыба, вегетарианское блюдо есть каждый день. Оплата пропуском, наличные не принимаются.",
          ("when can I eat", "meal without meat", "во сколько можно поесть", "блюда без мяса")),
    Paper("passwords", "A password has at least fourteen characters and is never written down or sent in a message. Use the password manager; the second factor is the app on your phone.",
          "Пароль состоит не менее чем из четырнадцати знаков, его не записывают и не пересылают в сообщениях. Пользуйтесь менеджером паролей; второй фактор это приложение на телефоне.",
          ("rules for secure login credentials", "two-step verification", "требования к секретным кодам доступа", "двухэтапная проверка входа")),
    Paper("rent", "The rent of the office in Riga is 4,850 euros a month and rises with inflation each January. The contract RG-2291 ends on 30 June 2028; notice is six months.",
          "Арендная плата за офис в Риге составляет 4850 евро в месяц и растёт с инфляцией каждый январь. Договор RG-2291 заканчивается 30 июня 2028 года; срок предупреждения шесть месяцев.",
          ("what do our premises cost", "RG-2291", "сколько мы платим за помещение", "условия договоров аренды")),
    Paper("hiring", "A new colleague is interviewed twice: first by the team, then by the director. References are asked for only after the candidate agrees. An offer is valid for one week.",
          "Новый коллега проходит два собеседования: сначала с командой, потом с директором. Рекомендации запрашивают только с согласия кандидата. Предложение действует одну неделю.",
          ("how do we recruit people", "how long may an applicant think about the job offer", "как мы подбираем персонал", "приём на работу")),
    Paper("sick", "Who falls ill calls the team before nine o'clock. From the fourth day a doctor's certificate is needed. The salary goes on for six weeks.",
          "Заболевший звонит в команду до девяти часов. С четвёртого дня нужна справка от врача. Зарплата сохраняется шесть недель.",
          ("I have the flu, whom do I tell", "medical note requirement", "я простудился, что делать", "больничный лист")),
    Paper("laptop", "Every workstation is replaced after four years. Broken screens are repaired by the workshop in the basement; a spare machine is lent meanwhile. Ask for ticket type HW-3.",
          "Каждый компьютер заменяют через четыре года. Разбитые экраны чинит мастерская в подвале, на это время выдают запасную машину. Тип заявки HW-3.",
          ("my display is cracked", "HW-3", "сломался монитор ноутбука", "когда дадут новый компьютер")),
    Paper("customers", "Complaints are answered within two working days, even if only to say that we are looking into it. A discount of up to ten percent may be granted without asking.",
          "На жалобы отвечают в течение двух рабочих дней, хотя бы чтобы сказать, что мы разбираемся. Скидку до десяти процентов можно дать без согласования.",
          ("an unhappy client wrote to us", "price reduction without approval", "недовольный покупатель написал письмо", "скидками до десяти процентов")),
    Paper("release", "New versions of the program go out on the first Tuesday of the month. The change list is frozen five days before; only fixes of crashes may still be added. Roll back with the script undo_release.sh.", "",
          ("deploying the software, which day", "undo_release.sh", "когда выходит обновление программы", "откат версии")),
    Paper("garden", "The roof terrace has tomatoes, basil and two apple trees. Whoever waters them may take the harvest home; the list hangs next to the coffee machine.", "",
          ("who takes care of the plants", "vegetables on top of the house", "кто поливает растения", "урожай на крыше")),
    Paper("suppliers", "Steel is bought from Nordmetall, screws from the Brückner brothers. Both deliver within three weeks; an order above 20,000 euros needs two signatures.", "",
          ("Nordmetall", "who sells us raw material", "у кого мы покупаем металл", "сколько подписей нужно для большого заказа")),
    Paper("library", "Books may be borrowed for four weeks and renewed twice. The shelf of magazines is not lent out. Lost volumes are replaced by the borrower.", "",
          ("taking a book home", "I mislaid a publication", "на какой срок выдают книги", "читатель потерял издание")),
    Paper("music", "The choir rehearses on Wednesdays in the large hall. Beginners are welcome, no audition is needed. The winter concert is on the second Sunday of December.", "",
          ("singing together after work", "performance in winter", "где можно петь", "зимнее выступление")),
    Paper("accounts", "", "Бухгалтерия закрывает месяц на пятый рабочий день. Счета, поступившие позже, проводятся следующим месяцем. Вопросы по счёту 60.01 задавайте Марине Игоревне.",
          ("когда закрывается отчётный период", "60.01", "monthly closing of the books", "late invoices from suppliers")),
    Paper("heating", "", "Отопление включают, когда пять дней подряд средняя температура ниже восьми градусов. Если в кабинете холодно, позвоните завхозу: он проверит батареи и термостат.",
          ("в комнате мёрзнем", "термостаты", "it is cold in my room", "when are the radiators turned on")),
    Paper("archive", "", "Договоры хранятся в архиве десять лет, кадровые документы семьдесят пять. Выдача под подпись, выносить из здания нельзя. Ключ у дежурного.",
          ("сколько лет держат старые бумаги", "кадровых документов", "retention period of contracts", "who has the key to the records room")),
    Paper("transport", "", "Служебный автобус отправляется от станции метро каждые двадцать минут с семи тридцати до десяти. Вечером последний рейс в девятнадцать сорок. Проезд бесплатный.",
          ("как добраться на работу", "последние рейсы автобуса", "shuttle from the underground station", "free ride to the office")),
    Paper("birthday", "", "На день рождения коллеги команда собирает не больше тысячи рублей с человека. Торт заказывает офис-менеджер, открытку подписывают все.",
          ("подарки сотрудникам на праздник", "сладкое к празднику", "celebrating a colleague", "collecting money for a present")),
    Paper("courses", "", "Компания оплачивает два курса обучения в год, если они связаны с работой. После дорогого курса нужно отработать полгода, иначе стоимость вычитают.",
          ("повышение квалификации за счёт фирмы", "что будет если уволиться после учёбы", "training paid by the employer", "learning budget")),
    Paper("animals", "", "Собак можно приводить по четвергам, если никто в кабинете не против. Кормить голубей на балконе запрещено.",
          ("можно ли прийти с питомцем", "птицы на балконе", "bring my pet to the office", "dogs allowed")),
)  # fmt: skip


def files() -> dict[str, str]:
    """Every paper as a Markdown file: name to text."""
    found = {}
    for number, paper in enumerate(PAPERS, 101):
        for language, text in (("en", paper.en), ("ru", paper.ru)):
            if text:
                found[f"{language}/{number}.md"] = f"{text}\n"
    return found


def questions() -> list[tuple[str, frozenset[str]]]:
    """Each question with the files that answer it, in whichever language."""
    asked = []
    for number, paper in enumerate(PAPERS, 101):
        there = [f"{language}/{number}.md" for language, text in (("en", paper.en), ("ru", paper.ru)) if text]
        asked += [(question, frozenset(there)) for question in paper.questions]
    return asked
